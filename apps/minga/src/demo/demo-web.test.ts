// Goal: the demo web is whole, varied and only on loopback. Method: it is started and walked with plain requests.
import assert from 'node:assert/strict'
import { get } from 'node:http'
import { test } from 'node:test'
import { text } from 'node:stream/consumers'
import { DEMO_SITES, startDemoWeb, type DemoWeb } from './demo-web.ts'

interface Answer {
  status: number
  body: string
  location: string | undefined
}

async function ask(web: DemoWeb, url: string): Promise<Answer> {
  const { hostname, host, port, pathname } = new URL(url)
  const address = web.resolve.find((line) => line.startsWith(`${hostname}=`))?.split('=')[1]
  return new Promise((resolve, reject) => {
    get({ host: address, port, path: pathname, headers: { host } }, (response) => {
      const { statusCode: status = 0, headers } = response
      text(response).then((body) => resolve({ status, body, location: headers.location }), reject)
    }).once('error', reject)
  })
}

test('following every link of a site finds its pages, pictures, redirects and errors', async () => {
  const web = await startDemoWeb()
  try {
    assert.ok(web.resolve.every((line) => /=127\.0\.0\.\d+$/.test(line)))
    const site = DEMO_SITES.find(({ name }) => name === 'market')!
    const start = web.seed.replace('www.', 'market.')
    const statuses = new Map<string, number>()
    const queue = [start]
    for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
      if (statuses.has(url) || new URL(url).host !== new URL(start).host) continue
      const answer = await ask(web, url).catch(() => ({
        status: -1,
        body: '',
        location: undefined,
      }))
      statuses.set(url, answer.status)
      const links = [...answer.body.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1]!)
      for (const link of [...links, ...(answer.location ? [answer.location] : [])]) {
        queue.push(new URL(link, url).href)
      }
    }
    const seen = [...statuses.values()]
    assert.ok(seen.filter((status) => status === 200).length > site.pages)
    for (const status of [301, 403, 404, 500, -1]) assert.ok(seen.includes(status), String(status))
  } finally {
    web.close()
  }
})

test('every site answers under its own name, and robots.txt forbids a part of it', async () => {
  const web = await startDemoWeb()
  try {
    for (const { name, title } of DEMO_SITES) {
      const home = web.seed.replace('www.', `${name}.`)
      assert.match((await ask(web, home)).body, new RegExp(`<title>${title}</title>`))
      assert.match((await ask(web, `${home}robots.txt`)).body, /Disallow: \/private\//)
    }
  } finally {
    web.close()
  }
})
