/** The parts of a station that gather its graph, keep it within bounds and answer from it. */
import type { LocLookup } from '@minga/net'
import type { Position } from '@minga/partition'
import type { Clock } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { LiveSettings } from '../../station/settings/live-settings.ts'
import { agentPlace, gazetteerOf } from '../distance/distance-service.ts'
import { DistanceExplainer } from '../distance/distance-explain.ts'
import { CrawlGraphCollector } from './crawl-graph-collector.ts'
import { GraphForgetting } from './graph-forgetting.ts'
import { DevicePlaces } from '../distance/places-devices.ts'
import { NO_PLACE_TEXTS, readTexts, type PlaceFiles } from '../distance/places-files.ts'
import { LocRecordRefresher } from '../distance/loc-record-refresher.ts'
import { PlaceDistances, type PlaceKnowledge } from '../distance/read-distances.ts'
import type { Operations } from '../../station/station-operations.ts'

/** What the operator's files say; without any, nothing. */
export type OperatorFiles = Pick<PlaceFiles, 'texts' | 'gathered'>

interface GraphOptions {
  store: Store<Operations>
  clock: Clock
  settings: LiveSettings
  /** Names this run of a coordinator. */
  source: string
  positionOf: PlaceKnowledge['positionOf']
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

export function createGraph(parts: GraphOptions): GraphServices {
  const { store, clock, settings, source, positionOf, files, loc } = parts
  const devices = new DevicePlaces()
  const collector = new CrawlGraphCollector({ store, clock, source })
  const known = { store, clock, positionOf, devices, ...files }
  const forgetting = new GraphForgetting({ store, clock })
  const isOn = (): boolean => settings.current().places === 'on'
  return {
    collector,
    devices,
    placeOf: ({ id, name }) =>
      agentPlace({ id, name, place: devices.of(id) }, gazetteerOf(files.gathered())).place,
    distances: new PlaceDistances(known),
    explainer: new DistanceExplainer(known),
    ticking: [collector, forgetting, new LocRecordRefresher({ store, clock, lookup: loc, isOn })],
  }
}
