; Bands and group velocities of a crystal of diamond's structure, fields at one point.
(set! num-bands 8)
(set! geometry-lattice
  (make lattice (basis-size (sqrt 0.5) (sqrt 0.5) (sqrt 0.5))
    (basis1 0 1 1) (basis2 1 0 1) (basis3 1 1 0)))
(set! default-material (make dielectric (epsilon 1)))
(define glass (make dielectric (epsilon 11.56)))
(set! geometry
  (list (make sphere (center 0.125 0.125 0.125) (radius 0.25) (material glass))
    (make sphere (center -0.125 -0.125 -0.125) (radius 0.25) (material glass))))
(set! k-points
  (interpolate 1
    (list (vector3 0 0.5 0.5) (vector3 0 0.625 0.375) (vector3 0 0.5 0) (vector3 0 0 0))))
(set! resolution 12)
(set! mesh-size 5)
(set! deterministic? true)
(run display-group-velocities (output-at-kpoint (vector3 0 0.5 0) output-efield output-dpwr))
(output-epsilon)
