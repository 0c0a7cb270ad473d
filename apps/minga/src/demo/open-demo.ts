/** `minga up --demo`: what is there before the station, and what begins with it. */
import { systemClock } from '@minga/protocol'
import { httpApi } from '../api.ts'
import { readyLine } from '../station-address.ts'
import type { LocalStation } from '../station.ts'
import { DemoFolder } from './demo-folder.ts'
import { countriesFile, placesText } from './demo-places.ts'
import { startDemoWeb, type DemoWeb } from './demo-web.ts'
import { demoWiki } from './demo-wiki.ts'
import { playDemo, type Demo } from './play-demo.ts'

/** Slow enough to watch, fast enough not to bore. */
const DEMO_DELAY_MS = 150

export interface OpenedDemo {
  web: DemoWeb
  places: { geoipFile: string; placesFile: string } | null
  /** Null: only the web is wanted, and it is being collected. */
  begin(station: LocalStation): Promise<Demo | null>
}

/** Before the station: it must know the names of the web, and where its volunteers will be. */
export async function openDemo(part: true | string, data: string): Promise<OpenedDemo> {
  if (part === 'web') {
    const web = await startDemoWeb()
    return { web, places: null, begin: (station) => collectOnly(station, web) }
  }
  const folder = await DemoFolder.open(data)
  const begunAt = folder.begunAt ?? systemClock.now()
  const wiki = demoWiki({ begunAt })
  const web = await startDemoWeb({ wiki, ...(folder.port === null ? {} : { port: folder.port }) })
  await folder.keepStart(begunAt, web.port)
  const geoipFile = await folder.put('countries.mmdb', countriesFile())
  const placesFile = await folder.put('places.txt', placesText())
  const begin = async (station: LocalStation): Promise<Demo> => {
    tellOfIt(web)
    return playDemo({ station, web, folder })
  }
  return { web, places: { geoipFile, placesFile }, begin }
}

async function collectOnly(station: LocalStation, web: DemoWeb): Promise<null> {
  tellOfIt(web)
  const request = { seeds: [web.seed], scope: 'domain', delayMs: DEMO_DELAY_MS }
  await httpApi(station.url, station.apiKey).post('/collections', request)
  process.stderr.write(readyLine(station))
  return null
}

function tellOfIt(web: DemoWeb): void {
  process.stderr.write(
    `minga: the demo web is at ${web.seed} and seven neighbours, all on this machine; for it,\n` +
      'minga: private and loopback addresses will be dialled as long as this station runs\n',
  )
}
