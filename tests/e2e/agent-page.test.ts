// Goal: a volunteer sees what the machine does, and every lever of the page moves the real agent.
// Method: a real agent at a real station, Debian's Chromium; obedience is read off the fake web's log.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser, axeFindings, skipWithoutChromium } from './page-station.ts'
import { COLOURS } from './page-tabs.ts'
import {
  hitsWithin,
  MINGA_AGENT,
  pause,
  startVolunteering,
  until,
  WAIT_MS,
  type JoinedAgent,
  type Volunteering,
} from './volunteer-fixture.ts'

/** Two views of the agent: the rates have come. */
const SETTLED_MS = 2_500

/** What was dialled before the lever was pulled is over by then. */
const LAST_HITS_MS = 1_500

describe("the volunteer's page", { skip: skipWithoutChromium }, () => {
  let volunteering: Volunteering
  let agent: JoinedAgent
  let browser: Browser
  let shared: Page
  const requested: string[] = []
  const complaints: string[] = []

  before(async () => {
    volunteering = await startVolunteering()
    agent = await volunteering.join(MINGA_AGENT)
    browser = await launchBrowser()
    shared = await newTab()
  })
  after(async () => {
    await browser?.close()
    await volunteering?.end()
  })

  async function newTab(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'en', ...options })
    context.setDefaultTimeout(WAIT_MS)
    const page = await context.newPage()
    page.on('request', (one) => requested.push(one.url()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (/Content Security Policy|Uncaught|TrustedHTML/.test(message.text())) {
        complaints.push(message.text())
      }
    })
    await page.goto(agent.url)
    return page
  }

  /** Loads the page again: to make a tab for every test takes five times as long. */
  async function visit(): Promise<Page> {
    await shared.goto(agent.url)
    return shared
  }

  const headline = (page: Page, text: string): Promise<void> =>
    page.locator('#condition', { hasText: text }).waitFor()

  async function setLimit(page: Page, label: string, value: string): Promise<void> {
    await page.getByLabel(label, { exact: true }).fill(value)
    await page.getByRole('button', { name: 'Save the limits' }).click()
    await page.getByText('The limits are saved and in force.').waitFor()
  }

  test('an agent without work says so, and addresses appear while it works', async () => {
    const page = await visit()
    await headline(page, 'Waiting for work')
    await page.getByText('The station has no work for this machine now').waitFor()
    await page.getByText('Nothing yet.').waitFor()
    await volunteering.collect()
    await headline(page, 'Working')
    const rows = page.locator('#activity-rows tr')
    await rows.nth(20).waitFor()
    const seen = new Set(volunteering.web.hits().map(({ url }) => url))
    const shown = await page.locator('#activity-rows td:nth-child(2)').allTextContents()
    for (const url of shown) assert.ok(seen.has(url), url)
    await page.locator('#in-flight li').first().waitFor()
    await page.locator('#month-used', { hasText: /\d.*no limit/ }).waitFor()
  })

  test('Pause stops every request, also for a page loaded later, and Resume goes on', async () => {
    const page = await visit()
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await headline(page, 'Paused by you')
    await pause(LAST_HITS_MS)
    assert.equal(await hitsWithin(volunteering.web, 2_000), 0)
    await page.reload()
    await headline(page, 'Paused by you')
    await page.getByRole('button', { name: 'Resume' }).click()
    await headline(page, 'Working')
    await until(async () => ((await hitsWithin(volunteering.web, 500)) > 0 ? true : null), 'hits')
  })

  test('a limit that is saved is obeyed from then on, and lifted again', async () => {
    const page = await visit()
    await headline(page, 'Working')
    const perSecond = 3
    await setLimit(page, 'Requests per second', String(perSecond))
    await pause(LAST_HITS_MS)
    const hits = await hitsWithin(volunteering.web, 4_000)
    assert.ok(hits <= perSecond * 4 + 2, `${hits} requests in four seconds`)
    assert.ok(hits >= perSecond, `${hits} requests in four seconds`)
    await setLimit(page, 'Requests per second', '')
    await until(
      async () => ((await hitsWithin(volunteering.web, 1_000)) > 3 * perSecond ? true : null),
      'the old pace',
    )
  })

  test('an invalid limit is reported next to the form, by the page or by the agent', async () => {
    const page = await visit()
    await headline(page, 'Working')
    const save = page.getByRole('button', { name: 'Save the limits' })
    const problem = page.locator('#limits-problem')
    await page.getByLabel('Data per month, in GB').fill('plenty')
    await save.click()
    await problem
      .filter({ hasText: '“Data per month, in GB” takes a number above zero.' })
      .waitFor()
    await page.getByLabel('Data per month, in GB').fill('')
    await page.getByLabel('Disk, in MB').fill('')
    await save.click()
    await problem.filter({ hasText: '“Disk, in MB” cannot be empty.' }).waitFor()
    await page.getByLabel('Disk, in MB').fill('100')
    await page.getByLabel('Hours', { exact: true }).fill('25:00-26:00')
    await save.click()
    await problem.filter({ hasText: 'MINGA_BAD_LIMITS' }).waitFor()
    assert.equal(
      await page.getByLabel('Hours', { exact: true }).getAttribute('aria-invalid'),
      'true',
    )
    assert.deepEqual(await axeFindings(page), [])
  })

  test('outside its hours it rests and says when it begins', async () => {
    const page = await visit()
    await headline(page, 'Working')
    const hour = (new Date().getHours() + 2) % 24
    const hours = `${hour}:00-${(hour + 1) % 24}:00`
    await setLimit(page, 'Hours', hours)
    await headline(page, 'Outside your hours')
    await page.locator('#why', { hasText: `${hour}:00` }).waitFor()
    await pause(LAST_HITS_MS)
    assert.equal(await hitsWithin(volunteering.web, 1_000), 0)
    await setLimit(page, 'Hours', '')
    await headline(page, 'Working')
  })

  test('activity is filtered by host, paged, and kept as a file', async () => {
    const page = await visit()
    await page.locator('#activity-rows tr').nth(49).waitFor()
    await page.getByRole('button', { name: 'Older' }).click()
    const newest = page.getByRole('button', { name: 'Newest' })
    await until(async () => ((await newest.isEnabled()) ? true : null), 'an older page')
    await newest.click()
    const host = new URL(volunteering.web.origin(3)).hostname
    await page.getByLabel('Only this host').fill(host)
    await page.getByRole('button', { name: 'Show' }).click()
    await until(async () => {
      const urls = await page.locator('#activity-rows td:nth-child(2)').allTextContents()
      return urls.length > 0 && urls.every((url) => new URL(url).hostname === host) ? true : null
    }, 'only that host')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as JSON lines' }).click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n')
    assert.ok(lines.length > 3)
    const hits = volunteering.web.hits().filter((hit) => hit.host === host).length
    assert.ok(lines.length <= hits, `${lines.length} lines of ${hits} requests`)
    for (const line of lines) {
      assert.equal(new URL((JSON.parse(line) as { url: string }).url).hostname, host)
    }
  })

  test('a page from elsewhere can neither read, steer nor frame it', async () => {
    const context = await browser.newContext()
    const foreign = await context.newPage()
    await foreign.goto(`${volunteering.web.origin(0)}/p/0`)
    const outcomes = await foreign.evaluate(async (url) => {
      const tried = async (path: string, init: RequestInit): Promise<string> => {
        try {
          return (await fetch(url + path, init)).type
        } catch {
          return 'refused'
        }
      }
      return [
        await tried('/api/view', {}),
        await tried('/api/view', { mode: 'no-cors' }),
        await tried('/api/pause', { method: 'POST', mode: 'no-cors' }),
        await tried('/api/pause', { method: 'POST', headers: { 'x-minga-token': 'guessed' } }),
      ]
    }, agent.url)
    assert.deepEqual(outcomes, ['refused', 'refused', 'refused', 'refused'])
    const frame = `const frame = document.createElement('iframe'); frame.src = '${agent.url}'`
    await foreign.evaluate(`${frame}; document.body.append(frame)`)
    await until(() => (foreign.frames()[1]?.url().startsWith('chrome-error:') ? true : null), 'no')
    await context.close()
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request(`${agent.url}/api/view`, { headers: { host: 'rebound.example' } })
      asked.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject)
      asked.end()
    })
    assert.equal(status, 403)
    const { condition } = (await (await fetch(`${agent.url}/api/view`)).json()) as {
      condition: string
    }
    assert.equal(condition, 'working')
  })

  for (const colorScheme of COLOURS) {
    test(`axe finds nothing in ${colorScheme} colours, the dialog included`, async () => {
      const page = await visit()
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width: 1_280, height: 960 })
      await page.locator('#activity-rows tr').first().waitFor()
      await page.waitForTimeout(SETTLED_MS)
      const path = process.env['MINGA_SCREENSHOT']
      if (colorScheme === 'light' && path !== undefined) await page.screenshot({ path })
      assert.deepEqual(await axeFindings(page), [])
      await page.getByRole('button', { name: 'Stop now' }).click()
      await page.getByRole('alertdialog').waitFor()
      assert.deepEqual(await axeFindings(page), [])
      await page.keyboard.press('Escape')
      await page.getByRole('alertdialog').waitFor({ state: 'hidden' })
    })
  }

  test('it speaks three languages, remembers the choice, and fits a telephone in each', async () => {
    const viewport = { width: 360, height: 740 }
    await shared.setViewportSize(viewport)
    const spanish = await newTab({ locale: 'es-AR', viewport })
    const portuguese = await newTab({ locale: 'pt-BR', viewport })
    for (const [page, word] of [
      [await visit(), 'Activity'],
      [spanish, 'Actividad'],
      [portuguese, 'Atividade'],
    ] as const) {
      await page.getByRole('heading', { name: word }).waitFor()
      await page.locator('#activity-rows tr').first().waitFor()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, word)
    }
    await portuguese.context().close()
    await spanish.getByLabel('Idioma').selectOption('pt')
    await spanish.getByRole('button', { name: 'Terminar e parar' }).waitFor()
    await spanish.reload()
    await spanish.getByRole('heading', { name: 'Limites' }).waitFor()
    assert.equal(await spanish.evaluate('document.documentElement.lang'), 'pt')
    await spanish.context().close()
    await shared.setViewportSize({ width: 1_280, height: 960 })
  })

  test('the keyboard alone pauses and resumes, and the focus is never lost', async () => {
    const page = await visit()
    await headline(page, 'Working')
    await page.keyboard.press('Tab')
    const focused = 'document.activeElement.textContent'
    assert.equal(await page.evaluate(focused), 'Skip to the content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(focused), 'Pause')
    await page.keyboard.press('Enter')
    await headline(page, 'Paused by you')
    assert.equal(await page.evaluate(focused), 'Resume')
    await page.keyboard.press('Enter')
    await headline(page, 'Working')
    assert.equal(await page.evaluate(focused), 'Pause')
  })

  test('Finish and stop sends what is in hand and ends the process with 0', async () => {
    const page = await visit()
    await headline(page, 'Working')
    await page.getByRole('button', { name: 'Finish and stop' }).click()
    assert.equal((await agent.child.waitExit(WAIT_MS)).code, 0)
    await headline(page, 'The agent has ended, or does not answer.')
    assert.equal(await page.getByRole('button', { name: 'Stop now' }).isDisabled(), true)
    assert.deepEqual(await axeFindings(page), [])
  })

  test('Stop now, once confirmed, ends it within seconds, and the station gives its work to the next', async () => {
    agent = await volunteering.join(MINGA_AGENT)
    const page = await visit()
    await headline(page, 'Working')
    await page.getByRole('button', { name: 'Stop now' }).click()
    await page.getByRole('button', { name: 'Yes, stop now' }).click()
    assert.equal((await agent.child.waitExit(5_000)).code, 0)
    agent = await volunteering.join(MINGA_AGENT)
    await until(async () => ((await hitsWithin(volunteering.web, 500)) > 0 ? true : null), 'hits')
  })

  test('no request left the machine and the browser had nothing to complain about', () => {
    assert.ok(requested.length > 100)
    const foreign = requested.filter((url) => !/^(http:\/\/127\.0\.0\.1:\d+\/|data:)/.test(url))
    assert.deepEqual(foreign, [])
    assert.deepEqual(complaints, [])
  })
})
