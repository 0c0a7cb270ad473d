// Goal: operators see where agents are, what they do and why they wait, drain, message and ban them, and see hosts shared
// among them and moved. Method: a real station with the demo web, two real agent processes, and Debian's Chromium.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type {
  PlacementState,
  SeenDevice,
  ToldPage,
} from '../../apps/dashboard/src/api/station-api.ts'
import { joinCommand } from '../../apps/dashboard/src/screens/agents/join-command.ts'
import { findAgent } from '../../apps/minga/src/commands/agent/running-agent.ts'
import { askStation, axeFindings, skipWithoutChromium } from './page-station.ts'
import { startTabs, SWEPT_COLOURS, type Tabs } from './page-tabs.ts'
import { MINGA, mingaOutput } from './run-minga.ts'

/** Shown as it is: no image, no script. */
const HOSTILE = '<img src=/x onerror=alert(1)> the roof leaks'
const SCREENS = [
  '/devices',
  '/join',
  '/leaderboard',
  '/placement',
  '/placement/hosts',
  '/placement/epochs',
  '/placement/epochs/1',
  '/placement/federation',
]
const WAIT_MS = 60_000

describe('the pages of agents and placement', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let page: Page
  /** Where seeds are asked about before there is an agent. */
  let asking: Page
  let folder: string
  const agents: ChildProcess[] = []

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'minga-agents-page-'))
    const places = join(folder, 'places.txt')
    await writeFile(places, 'attic -12 -77\n# in Lisbon\ncellar 38.7 -9.1\n')
    tabs = await startTabs('--demo', 'web', '--no-agent', '--places', places)
    page = await tabs.visit('/devices', { withKey: true })
  })
  after(async () => {
    for (const agent of agents) agent.kill('SIGKILL')
    await tabs?.end()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  /** The line as it was copied, by the program of this folder, in a folder of its own. */
  function joinAgent(name: string, line: string): void {
    const words = ['agent', 'join', ...line.replace(/^.*agent join /, '').split(' ')]
    const own = ['--data', join(folder, name), '--name', name, '--page-port', '0']
    const args = [MINGA, ...words, ...own, '--allow-private-addresses']
    agents.push(spawn(process.execPath, args, { stdio: 'ignore' }))
  }

  async function until<T>(look: () => Promise<T | null>, what: string): Promise<T> {
    const deadlineMs = performance.now() + WAIT_MS
    for (;;) {
      const seen = await look()
      if (seen !== null) return seen
      assert.ok(performance.now() < deadlineMs, `waited in vain for ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }

  const deviceNamed = async (name: string): Promise<SeenDevice> =>
    until(async () => {
      const { rows } = await askStation<ToldPage>(tabs.station, `/devices/page?text=${name}`)
      return rows[0] ?? null
    }, name)

  test('an empty fleet says how to begin, and the placement what it lacks', async () => {
    await page.getByText('No device yet').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await tabs.walk(page, '/placement')
    await page.getByText('Fewer than 2 agents').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.getByRole('button', { name: 'Use “partitioned”' }).click()
    await page.locator('code').getByText('partitioned').waitFor()
  })

  test('a request for robots.txt without an agent waits for the first one', async () => {
    const seed = await until(async () => {
      const all = await askStation<{ spec: { seeds: string[] } }[]>(tabs.station, '/collections')
      return all[0]?.spec.seeds[0] ?? null
    }, 'the collection of the demo')
    asking = await tabs.visit('/new', { withKey: true })
    const library = seed.replace('www.', 'library.')
    await asking.getByLabel('Seeds', { exact: true }).fill(library)
    await asking.getByRole('button', { name: 'Check robots.txt' }).click()
    await asking.getByText('No agent is online.').waitFor()
  })

  test('the line to copy follows the limits that were chosen, and joins a machine', async () => {
    await tabs.walk(page, '/join')
    await page.getByLabel('Data per month').fill('20 GB')
    await page.getByLabel('Hours').fill('at night')
    await page.getByText('Write it as in 22:00-07:00').waitFor()
    await page.getByLabel('Hours').fill('00:00-24:00')
    await page.getByText('Also work on battery').click()
    await page.getByRole('button', { name: 'Create command' }).click()
    const line = (await page
      .getByRole('group', { name: 'Command to join' })
      .locator('code')
      .textContent())!
    assert.match(line, /--token \S+ --monthly 20GB --hours 00:00-24:00 --no-pause-on-battery$/)
    const facts = await askStation<{ program: { path: string } | null }>(
      tabs.station,
      '/join-facts',
    )
    const place = { station: tabs.station.url, programPath: facts.program?.path ?? null }
    assert.ok(line.startsWith(joinCommand(place, '')), line)
    await page.getByText('Only this machine can reach the station').waitFor()
    joinAgent('attic', line.replace(' --hours 00:00-24:00', ''))
    await deviceNamed('attic')
    const verdict = asking.getByRole('table', { name: 'What the sites say' }).getByRole('cell')
    await verdict.getByText('Allowed').waitFor()
    await asking.close()
  })

  test('a device that joined is in the list with its rates, and on the map by keyboard', async () => {
    await tabs.walk(page, '/devices')
    const row = page.getByRole('row').filter({ hasText: 'attic' })
    await row.waitFor()
    await row.locator('.sparkline').first().waitFor()
    const dot = page.locator('.world-map g.dot')
    await dot.first().focus()
    await page.locator('.told').getByText('attic').waitFor()
    assert.match(
      (await dot.first().getAttribute('aria-label'))!,
      /^About -12°, -77°: 1 .*\(attic\)$/,
    )
    assert.deepEqual(await axeFindings(page), [])
    await dot.first().press('Enter')
    await page.waitForURL('**/devices?*country=none*')
    assert.equal(await page.getByLabel('Country', { exact: true }).inputValue(), 'none')
    await row.waitFor()
    await dot.first().press('Enter')
    await page.waitForURL((url) => !url.search.includes('country'))
    await page.locator('summary').getByText('The same by country').click()
    await page.getByRole('table', { name: 'The same by country' }).waitFor()
  })

  test('a drained device finishes and waits, its owner learns why, and it works again', async () => {
    const { id } = await deviceNamed('attic')
    await tabs.walk(page, `/devices/${id}`)
    await page.getByRole('button', { name: 'Drain' }).click()
    await page.getByText('It finishes its current work and gets no more').first().waitFor()
    await page.getByLabel('Message to its owner').fill(HOSTILE)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('aside').getByText(HOSTILE).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    const data = join(folder, 'attic')
    const heard = async () => (await findAgent(data))?.view.message ?? null
    await until(heard, 'the message on the machine of its owner')
    const status = await mingaOutput('agent', 'status', '--data', data)
    assert.match(status, /^operator/m)
    assert.ok(status.includes(HOSTILE))
    assert.match(status, /paused-by-station: The operator of the station lets this device finish/)
    await page.getByRole('button', { name: 'Give it work again' }).click()
    await page.getByRole('button', { name: 'Drain' }).waitFor()
    await page.getByRole('button', { name: 'Withdraw' }).click()
    await page.locator('aside').getByText(HOSTILE).waitFor({ state: 'detached' })
  })

  test('with two agents hosts get a map, and a plan is shown before and after', async () => {
    const { token } = await askStation<{ token: string }>(tabs.station, '/join-tokens', {})
    joinAgent('cellar', `minga agent join ${tabs.station.url} --token ${token}`)
    await deviceNamed('cellar')
    await until(async () => {
      const { map } = await askStation<PlacementState>(tabs.station, '/place/state')
      return map === null ? null : map
    }, 'the first map')
    await tabs.walk(page, '/placement')
    await page.getByRole('table', { name: 'Share of each agent' }).waitFor()
    for (const name of ['attic', 'cellar']) {
      await page.locator('.data-table').getByText(name).first().waitFor()
    }
    await page.getByRole('button', { name: 'Replan' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Replan' }).click()
    await until(async () => {
      const { map } = await askStation<PlacementState>(tabs.station, '/place/state')
      return (map?.epoch ?? 0) > 1 ? map : null
    }, 'the second map')
    await page.getByText('Links before').waitFor()
    await page.getByRole('table', { name: 'Before and after' }).waitFor()
    await page.getByText('An operator requested it').first().waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Assignment as CSV' }).click()
    assert.equal((await download).suggestedFilename(), 'assignment.csv')
    await tabs.walk(page, '/placement/epochs')
    await page.getByRole('heading', { name: 'Compare two epochs' }).waitFor()
    await page.getByLabel('Before').selectOption('2')
    await page.waitForURL('**/placement/epochs?*one=2*')
  })

  test('every host is listed with its agent, and how far it is from each', async () => {
    await tabs.walk(page, '/placement/hosts')
    await page.getByLabel('Part of a host name').fill('www.')
    await page.waitForURL('**/placement/hosts?*q=www*')
    const row = page.getByRole('row').filter({ hasText: 'www.valley.test' })
    await row.getByRole('button', { name: /^Distances of/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('table', { name: 'Distances' }).waitFor()
    await dialog.getByText('attic').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('chosen devices are banned together after a question, and say so', async () => {
    await tabs.walk(page, '/devices')
    const row = page.getByRole('row').filter({ hasText: 'cellar' })
    await row.getByRole('checkbox').check({ force: true })
    await page
      .getByRole('region', { name: /chosen/i })
      .getByRole('button', { name: 'Expel' })
      .click()
    const question = page.getByRole('alertdialog')
    await question.getByText('Expel 1 device?').waitFor()
    await question.getByRole('button', { name: 'Expel' }).click()
    await row.getByText('An operator has expelled it').waitFor()
    assert.equal((await deviceNamed('cellar')).whyIdle, 'expelled')
    await page.getByLabel('State').selectOption('stopped')
    await page.getByRole('row').filter({ hasText: 'attic' }).waitFor({ state: 'detached' })
    await row.waitFor()
  })

  test('contributors are shown by day, only with names that they chose', async () => {
    await tabs.walk(page, '/leaderboard')
    await page.getByText('1 without a name').waitFor()
    await page.getByRole('group', { name: 'Invite others' }).getByText('/join').waitFor()
    await page.getByText('Without a name', { exact: true }).click()
  })

  for (const colorScheme of SWEPT_COLOURS) {
    test(`axe finds nothing on any of these screens in ${colorScheme} colours`, async () => {
      await page.emulateMedia({ colorScheme })
      await tabs.assertAccessible(page, SCREENS)
    })
  }

  test('none of these screens scrolls sideways at 360 pixels, in any language', () =>
    tabs.assertFitsTelephone(page, SCREENS))

  test('the browser had no complaints, and called only the station', () => {
    assert.deepEqual(tabs.complaints, [])
    const outside = tabs.requested.filter((url) => !url.startsWith(tabs.station.url))
    assert.deepEqual(outside, [])
  })
})
