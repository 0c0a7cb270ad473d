// Goal: the first page shows a station live, starts collections, and is safe, accessible, translated and local.
// Method: `minga up --demo` and Debian's Chromium; everything is judged from what the browser sees and sends.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { askStation, axeFindings, skipWithoutChromium, startStation } from './page-station.ts'
import { startTabs, SWEPT_COLOURS, type Tabs } from './page-tabs.ts'

/** More than two pages of captures. */
const TWO_PAGES = 60

describe('the first page', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  /** One who holds the key, and one who does not. */
  let operator: Page
  let guest: Page

  before(async () => {
    tabs = await startTabs('--demo', 'web')
    operator = await tabs.visit('/', { withKey: true })
    guest = await tabs.visit('/new')
  })
  after(() => tabs?.end())

  const doneOf = async (page: Page): Promise<number> => {
    const text = await page.locator('.legend .done b').first().textContent()
    return Number((text ?? '').replaceAll(',', ''))
  }

  async function seedAt(site: string): Promise<string> {
    const [collection] = await askStation<{ spec: { seeds: string[] } }[]>(
      tabs.station,
      '/collections',
    )
    return collection!.spec.seeds[0]!.replace('www.', `${site}.`)
  }

  test('numbers grow without any input', async () => {
    const page = operator
    await page.getByText('Live').waitFor()
    const first = await doneOf(page)
    for (let i = 0; i < 60 && (await doneOf(page)) < first + 20; i++) await page.waitForTimeout(250)
    assert.ok((await doneOf(page)) >= first + 20)
    await page.locator('.capture-table tbody tr').first().waitFor()
    await page.locator('.plot canvas').first().waitFor()
    // It has run for less than five minutes, and its title says so.
    await page
      .getByRole('heading', { name: /^Throughput, last \d+ (sec|min)$/ })
      .first()
      .waitFor()
  })

  test('the key leaves the address bar, and another visitor may only look', async () => {
    assert.equal(operator.url(), `${tabs.station.url}/`)
    assert.equal(await operator.getByText('Read-only view').count(), 0)
    await guest.getByText('Read-only view').waitFor()
    assert.equal(await guest.getByRole('button', { name: 'Start collecting' }).isDisabled(), true)
  })

  test('the address with the key, pasted into an open tab, makes its reader the operator', async () => {
    const page = await tabs.visit('/collections?q=valley')
    await page.getByText('Read-only view').waitFor()
    await page.evaluate(`location.hash = 'key=${tabs.station.key}'`)
    await page.getByText('You are now operator.').waitFor()
    await page.getByText('Read-only view').waitFor({ state: 'detached' })
    assert.equal(page.url(), `${tabs.station.url}/collections?q=valley`)
    await page.close()
  })

  test('the printed address makes one browser the operator, and no second one', async () => {
    const page = await tabs.visit(tabs.station.signIn.replace('/#', '/new#'))
    const start = page.getByRole('button', { name: 'Start collecting' })
    await start.waitFor()
    assert.equal(await start.isDisabled(), false)
    assert.equal(page.url(), `${tabs.station.url}/new`)
    await page.close()
    const second = await fetch(`${tabs.station.url}/api/sessions/by-link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: tabs.station.signIn.split('#sign-in=')[1] }),
    })
    assert.equal(second.status, 400)
  })

  test('an address that signs in asks first where an account is signed in, and names the account otherwise', async () => {
    const { station } = tabs
    const mallory = { name: 'mallory', password: 'seven llamas cross the river' }
    await askStation(station, '/accounts', { ...mallory, roles: ['collector', 'reader'] })
    const login = { ...mallory, as: 'token' }
    const { token } = await askStation<{ token: string }>(station, '/sessions', login)
    const { account } = await askStation<{ account: { name: string } }>(station, '/me')
    const page = await tabs.visit(`/collections#key=${token}`)
    await page.getByText('You are signed in as mallory.').waitFor()
    const question = page.getByRole('alertdialog', { name: 'Switch accounts?' })
    const isMallory = () => page.getByRole('link', { name: 'mallory', exact: true }).waitFor()

    await page.evaluate(`location.hash = 'key=${station.key}'`)
    await question.getByText(`signs you in as ${account.name} instead of mallory`).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await question.getByRole('button', { name: 'Stay signed in' }).click()
    await question.waitFor({ state: 'detached' })
    await isMallory()

    // A link cannot say whose it is without being used: who declines leaves it as it was.
    const link = await askStation<{ token: string }>(station, '/sign-in-links', {})
    await tabs.open(page, `/new#sign-in=${link.token}`)
    await question.getByText('perhaps to another account').waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await isMallory()
    assert.equal(page.url(), `${station.url}/new`)

    await page.evaluate(`location.hash = 'sign-in=${link.token}'`)
    await question.getByRole('button', { name: 'Switch account' }).click()
    await page.getByText('You are now operator.').waitFor()
    await page.getByRole('link', { name: account.name, exact: true }).waitFor()
    await page.evaluate(`location.hash = 'key=${'A'.repeat(40)}'`)
    await page.getByText('The station does not know this key.').waitFor()
    await page.getByRole('link', { name: account.name, exact: true }).waitFor()
    await page.context().close()
    const used = await tabs.visit(`/#sign-in=${link.token}`)
    await used.getByText('This sign-in link was used already').waitFor()
    await used.close()
  })

  test('a key is pasted into the banner, alone or with its address, and a wrong one is said to be so', async () => {
    const page = await tabs.visit('/new')
    const paste = async (text: string): Promise<void> => {
      await page.getByLabel('Paste your key').fill(text)
      await page.getByRole('button', { name: 'Use key' }).click()
    }
    await paste('no key')
    await page.getByText('This is not a key.').waitFor()
    await paste('A'.repeat(40))
    await page.getByText('The station does not know this key.').waitFor()
    await paste(`${tabs.station.url}/#key=${tabs.station.key}`)
    await page.getByText('You are now operator.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Start collecting' }).isDisabled(), false)
    await page.close()
  })

  test('the key is in nothing that the station serves without it', async () => {
    const { url, key } = tabs.station
    for (const path of ['/', '/new', '/api/collections', '/api/snapshot', '/station.json']) {
      assert.equal((await (await fetch(url + path)).text()).includes(key), false, path)
    }
    const refused = await fetch(`${url}/api/collections/1/pause`, { method: 'POST' })
    assert.equal(refused.status, 401)
  })

  for (const colorScheme of SWEPT_COLOURS) {
    test(`axe finds nothing on any screen in ${colorScheme} colours`, async () => {
      await guest.emulateMedia({ colorScheme })
      await guest.getByText('Live').waitFor()
      const paths = ['/', '/collections', '/new', '/collections/1', '/collections/999', '/nowhere']
      await tabs.assertAccessible(guest, paths)
    })
  }

  test('captures are paged, newest first', async () => {
    const page = guest
    for (let i = 0; i < 240 && (await doneOf(operator)) < TWO_PAGES; i++) {
      await operator.waitForTimeout(250)
    }
    await tabs.open(page, '/collections/1')
    const captures = page.getByRole('table', { name: 'Captures' })
    await captures.locator('tbody tr').nth(24).waitFor()
    assert.equal(await captures.locator('tbody tr').count(), 25)
    await page.getByRole('button', { name: 'Show more' }).last().click()
    await captures.locator('tbody tr').nth(49).waitFor()
  })

  test('the form shows the sentence of the station, then starts a collection', async () => {
    // The demo collects the same sites: it makes way.
    await askStation(tabs.station, '/collections/1/pause', {})
    const page = operator
    await tabs.walk(page, '/new')
    await page.getByRole('button', { name: 'Start collecting' }).click()
    await page.getByText('Enter at least one address').waitFor()
    await page.getByLabel('Seeds', { exact: true }).fill('ftp://example.org/')
    await page.getByRole('button', { name: 'Start collecting' }).click()
    await page.getByText('"ftp://example.org/" is not an http or https address').waitFor()
    await page.getByText('MINGA_BAD_SEED').waitFor()

    await page.getByLabel('Seeds', { exact: true }).fill(await seedAt('museum'))
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('Pages at most').fill('15')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('Delay in seconds').fill('0.1')
    await page.getByRole('button', { name: 'Start collecting' }).click()
    await page.waitForURL('**/collections/2')
    await page.getByRole('heading', { name: /^museum\.valley\.test/ }).waitFor()
    const hosts = page.getByRole('table', { name: 'Hosts and delays' })
    await hosts.locator('tbody tr').first().waitFor()
    await page.getByText('Stopped at its limit').first().waitFor()
    await page.getByText('its limit of pages was reached').waitFor()
    const labels = await page
      .locator('.curve-lines .axes text[text-anchor=middle]')
      .allTextContents()
    assert.equal(new Set(labels).size, labels.length, labels.join())
    assert.ok(labels.length <= 7)
  })

  test('a collection is paused, resumed and, once confirmed, cancelled', async () => {
    const page = operator
    await tabs.walk(page, '/new')
    await page.getByLabel('Seeds', { exact: true }).fill(await seedAt('library'))
    await page.getByRole('button', { name: 'Start collecting' }).click()
    await page.waitForURL('**/collections/3')
    const pill = page.locator('.summary .pill')
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await pill.filter({ hasText: 'Paused' }).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await pill.filter({ hasText: 'Running' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('alertdialog').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Cancel the collection' }).click()
    await pill.filter({ hasText: 'Cancelled' }).waitFor()
  })

  test('Spanish and Portuguese are spoken throughout, and the choice is remembered', async () => {
    const page = await tabs.visit('/', { locale: 'es-AR' })
    await page.getByText('Últimas capturas').first().waitFor()
    await page.getByLabel('Idioma').selectOption('pt')
    await page.getByRole('link', { name: 'Todas as coleções' }).click()
    await page.getByRole('link', { name: 'Nova coleção' }).last().click()
    await page.getByText('Onde começar, um endereço por linha.').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Nova coleção' }).waitFor()
    assert.equal(await page.evaluate('document.documentElement.lang'), 'pt')
    await page.context().close()
  })

  test('nothing scrolls sideways on a telephone of 360 pixels, in any language', () =>
    tabs.assertFitsTelephone(guest, ['/', '/collections', '/new', '/collections/1']))

  test('the first press of Tab offers to skip to the content', async () => {
    const page = guest
    await tabs.open(page, '/')
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'content')
  })

  test('an empty station explains the three steps, and a lost one says so', async () => {
    const empty = await startStation('--no-agent')
    try {
      const page = guest
      await tabs.open(page, empty.url)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.getByText('Three first steps').waitFor()
        assert.deepEqual(await axeFindings(page), [])
      }
      await page.getByText('Live').waitFor()
      await empty.stop()
      await page.getByText('No update from the station').waitFor()
    } finally {
      await empty.stop()
    }
  })

  test('no request left the machine and the browser had nothing to complain about', () => {
    assert.ok(tabs.requested.length > 100)
    const foreign = tabs.requested.filter(
      (url) => !/^(http:\/\/127\.0\.0\.1:\d+\/|data:)/.test(url),
    )
    assert.deepEqual(foreign, [])
    assert.deepEqual(tabs.complaints, [])
  })

  test("clients' requests have a name, cannot be cancelled as a whole, and break no rule", async () => {
    await askStation(tabs.station, '/batches', { urls: [await seedAt('www')], maxAgeS: 0 })
    const page = operator
    await tabs.open(page, '/')
    await page.getByRole('link', { name: "Clients' requests" }).click()
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Cancel' }).count(), 0)
    assert.deepEqual(await axeFindings(page), [])
  })
})
