/**
 * The world as one drawing: land and borders from Natural Earth's 110m shapes, and where a place is on it. Made
 * once when the map is first shown, in a file of its own that no other screen loads.
 */
import { geoNaturalEarth1, geoPath } from 'd3-geo'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import atlas from 'world-atlas/countries-110m.json' with { type: 'json' }

export const MAP_WIDTH = 960
export const MAP_HEIGHT = 470

type World = Topology<{ countries: GeometryCollection; land: GeometryCollection }>

const world = atlas as unknown as World
const projection = geoNaturalEarth1().fitSize([MAP_WIDTH, MAP_HEIGHT], { type: 'Sphere' })
// A tenth of a pixel is finer than anybody sees, and a third of the text.
const path = geoPath(projection).digits(1)

export const LAND = path(feature(world, world.objects.land)) ?? ''
export const BORDERS = path(mesh(world, world.objects.countries, (a, b) => a !== b)) ?? ''
export const GLOBE = path({ type: 'Sphere' }) ?? ''

export function onMap({ lat, lon }: { lat: number; lon: number }): { x: number; y: number } {
  const [x, y] = projection([lon, lat]) ?? [0, 0]
  return { x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 }
}
