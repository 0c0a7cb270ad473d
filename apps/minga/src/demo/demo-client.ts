/** A client of the demo: a program with a budget that sends batches. Most is delivered, some fails, some is denied. */
import type { DemoStage } from './demo-stage.ts'
import { personNamed } from './demo-people.ts'

const BUDGET_MICROS = 5_000_000
const PAGES = 12
const DENIED = 'The demo shows how a station leaves a host alone.'

export async function sendBatches(stage: DemoStage): Promise<void> {
  const { api, web } = stage
  const { id, api: client } = await personNamed(stage, 'reader-app', 'client')
  await topUp(stage, id)
  await client.post('/keys', { name: 'reading list' })
  await api.post('/abuse/hosts', { hosts: ['casino.valley.test'], action: 'deny', reason: DENIED })
  const pages = Array.from({ length: PAGES }, (_, page) => web.at('library', `/page/${page + 1}`))
  await client.post('/batches', {
    urls: [
      ...pages,
      // One that breaks off, one without a server; the others are denied: by the station, by robots.txt, and
      // since it is no address of the web.
      web.at('market', '/broken'),
      web.at('bakery'),
      web.at('casino'),
      web.at('www', '/private/4'),
      'ftp://library.valley.test/',
    ],
    maxAgeS: 0,
    idempotencyKey: 'demo-reading-list',
  })
  // The operator's own, so that the screen has rows for a user with the operator's key.
  await topUp(stage, 'operator')
  const own = ['/', '/news', '/page/1', '/page/2'].map((path) => web.at('www', path))
  await api.post('/batches', { urls: own, maxAgeS: 0, idempotencyKey: 'demo-own' })
  await api.post('/neutrality', {
    name: 'The same pages from three countries',
    urls: [web.at('market', '/page/1'), web.at('museum', '/hours')],
    devicesPerPlace: 1,
  })
}

function topUp({ api }: DemoStage, account: string): Promise<unknown> {
  return api.post(`/accounts/${account}/top-up`, { micros: BUDGET_MICROS, note: 'for the demo' })
}
