/** The parts of a station that gather its graph, keep it within bounds and answer from it. */
import { randomUUID } from 'node:crypto'
import type { LocLookup } from '@minga/net'
import type { Position } from '@minga/partition'
import { DistanceExplainer, agentPlace, gazetteerOf } from '../distance/distance-service.ts'
import { CrawlGraphCollector } from './crawl-graph-collector.ts'
import { GraphForgetting } from './graph-forgetting.ts'
import { DevicePlaces } from '../distance/places-devices.ts'
import { NO_PLACE_TEXTS, readTexts, type PlaceFiles } from '../distance/places-files.ts'
import { LocRecordRefresher } from '../distance/loc-record-refresher.ts'
import { PlaceDistances } from '../distance/read-distances.ts'
import type { Station } from '../../station/station.ts'

/** What the operator's files say; without any, nothing. */
export type OperatorFiles = Pick<PlaceFiles, 'texts' | 'gathered'>

interface GraphOptions {
  files: OperatorFiles
  loc: LocLookup
}

export interface GraphServices {
  collector: CrawlGraphCollector
  distances: PlaceDistances
  explainer: DistanceExplainer
  devices: DevicePlaces
  /** Where a device is, by the operator's files or by where it calls from; null: not known. */
  placeOf: (device: { id: string; name: string }) => Position | null
  /** Each to be called at the station's pulse. */
  ticking: { tick(): Promise<void> }[]
}

const nothing = readTexts(NO_PLACE_TEXTS)
export const NO_FILES: OperatorFiles = { texts: () => NO_PLACE_TEXTS, gathered: () => nothing }

export function createGraph(station: Station, { files, loc }: GraphOptions): GraphServices {
  const devices = new DevicePlaces()
  const collector = new CrawlGraphCollector({ ...station, source: randomUUID() })
  const known = { ...station, devices, ...files }
  const forgetting = new GraphForgetting(station)
  const isOn = (): boolean => station.settings.current().places === 'on'
  return {
    collector,
    devices,
    placeOf: ({ id, name }) =>
      agentPlace({ id, name, place: devices.of(id) }, gazetteerOf(files.gathered())).place,
    distances: new PlaceDistances(known),
    explainer: new DistanceExplainer(known),
    ticking: [collector, forgetting, new LocRecordRefresher({ ...station, lookup: loc, isOn })],
  }
}
