// Goal: people register, lend devices, send requests and run the station on its page, each seeing what they may.
// Method: a real station with the demo web, a real agent process, and Debian's Chromium, judged from the browser.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { CLIENT_ID, openIssuer } from '../../apps/coordinator/test/accounts/oidc-fixture.ts'
import { codeAt } from '../../apps/coordinator/test/accounts/authenticator-fixture.ts'
import { askStation, axeFindings, skipWithoutChromium } from './page-station.ts'
import { startTabs, SWEPT_COLOURS, type Tabs } from './page-tabs.ts'
import { startMinga } from './run-minga.ts'

const PASSWORD = 'seven llamas cross the river'
/** Of authenticator apps. */
const CODE_STEP_MS = 30_000

/** Where people log in as well. */
const issuer = await openIssuer()

/** Shown as it is: no image, no script. */
const HOSTILE_NAME = 'In the attic <img src=/x onerror=alert(1)>'

const SCREENS = [
  '/abuse',
  '/accounts',
  '/account',
  '/config',
  '/devices',
  '/join',
  '/keys',
  '/leaderboard',
  '/money',
  '/requests',
]
const OPEN_SCREENS = [
  '/log-in',
  '/register',
  '/reset',
  '/forgotten',
  '/confirm-email',
  '/join',
  '/leaderboard',
  '/devices',
]

async function logIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('main').getByRole('button', { name: 'Log in', exact: true }).click()
}

async function navOf(page: Page): Promise<string[]> {
  return page.locator('#areas .area').allTextContents()
}

describe('the page of the fleet', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let volunteer: Page
  let operator: Page
  let guest: Page
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'minga-volunteer-'))
    issuer.isPublic = true
    process.env['MINGA_OIDC_ISSUER'] = issuer.url
    process.env['MINGA_OIDC_CLIENT_ID'] = CLIENT_ID
    process.env['MINGA_OIDC_NAME'] = 'the town'
    tabs = await startTabs('--demo', 'web')
    volunteer = await tabs.visit('/register')
    operator = await tabs.visit('/', { withKey: true })
    guest = await tabs.visit('/')
    // The sites of the demo are asked for below, and until then they need not be collected.
    await operator.locator('.legend .done').first().waitFor()
    await askStation(tabs.station, '/collections/1/pause', {})
  })
  after(async () => {
    await tabs?.end()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  /** Nothing of the former user of this tab is left. */
  async function forget(page: Page): Promise<void> {
    await page.context().clearCookies()
  }

  test('a user registers, is refused a weak password with a reason, logs out and in again', async () => {
    const page = volunteer
    await page.getByLabel('Name', { exact: true }).fill('ana')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByText('MINGA_WEAK_PASSWORD').waitFor()
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByRole('heading', { name: 'ana', exact: true }).waitFor()
    assert.deepEqual(await navOf(page), [
      'Overview',
      'Collections',
      'Archive',
      'Watches',
      'Queries',
      'Wikis',
      'Volunteers',
      'ana',
    ])
    await page.getByRole('button', { name: 'Log out', exact: true }).click()
    await page.getByRole('link', { name: 'Log in' }).click()
    await logIn(page, 'ana', 'not the password')
    await page.getByText('MINGA_BAD_LOGIN').waitFor()
    await logIn(page, 'ana', PASSWORD)
    await page.getByRole('link', { name: 'ana' }).waitFor()
    assert.equal(await page.evaluate('sessionStorage.getItem("minga:key")'), null)
  })

  test('a password is changed and a name for the leaderboard chosen', async () => {
    const page = volunteer
    await tabs.walk(page, '/account')
    await page.getByLabel('Password until now').fill(PASSWORD)
    await page.getByLabel('New password').fill(`${PASSWORD} twice`)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('Changed; your other sessions have ended').waitFor()
    await page.getByLabel('Shown as').fill('Ana of the hills')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.reload()
    await page.locator('input[value="Ana of the hills"]').waitFor()
    await tabs.walk(page, '/leaderboard')
    await page.getByText('No names yet').waitFor()
  })

  test('one copied command joins a device; it is renamed, revoked, and then refused', async () => {
    const page = volunteer
    await tabs.walk(page, '/devices')
    await page.getByText('No device yet').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Lend a device' }).click()
    await page.getByRole('button', { name: 'Create command' }).click()
    const command = await page
      .getByRole('group', { name: 'Command to join' })
      .locator('code')
      .textContent()
    const [installing, joining] = command!.split(' && minga-agent ')
    assert.match(installing!, /^npm install -g http.*\/downloads\/minga-agent-.*\.tgz$/)
    const words = ['agent', ...joining!.split(' ')]
    assert.equal(words[2], tabs.station.url)
    const data = ['--data', join(folder, 'agent'), '--name', 'Old laptop', '--no-page']
    const agent = startMinga(...words, ...data, '--allow-private-addresses')
    let said = ''
    agent.stderr?.on('data', (chunk: Buffer) => (said += String(chunk)))
    const exited = once(agent, 'exit')
    try {
      await page.getByRole('link', { name: 'Devices' }).click()
      await page.getByRole('link', { name: 'Old laptop' }).click()
      await page.locator('.summary .mark').getByText('Waiting').waitFor()
      await page.getByLabel('Device', { exact: true }).fill(HOSTILE_NAME)
      await page.getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('heading', { name: HOSTILE_NAME }).waitFor()
      assert.equal(await page.locator('main img').count(), 0)
      await page.getByText('Admitted').waitFor()
      assert.deepEqual(await axeFindings(page), [])
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.locator('.summary .mark').getByText('Paused').waitFor()
      await page.getByRole('button', { name: 'Revoke' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
      await page.locator('.summary .mark').getByText('Revoked').waitFor()
      const [code] = (await exited) as [number]
      assert.notEqual(code, 0)
      assert.match(said, /MINGA_DEVICE_REVOKED/)
    } finally {
      agent.kill('SIGKILL')
    }
    await tabs.open(page, '/join')
    await page.getByRole('row').filter({ hasText: 'Used' }).waitFor()
  })

  test('a device is deleted, and an invitation that was revoked is worth nothing', async () => {
    const page = volunteer
    await page.getByRole('button', { name: 'Create command' }).click()
    const code = page.getByRole('group', { name: 'Command to join' }).locator('code')
    const token = (await code.textContent())!.split(' ').at(-1)!
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('row').filter({ hasText: 'Revoked' }).waitFor()
    const data = ['--data', join(folder, 'late'), '--no-page']
    const agent = startMinga('agent', 'join', tabs.station.url, '--token', token, ...data)
    let said = ''
    agent.stderr?.on('data', (chunk: Buffer) => (said += String(chunk)))
    await once(agent, 'exit')
    assert.match(said, /MINGA_TOKEN_REVOKED/)
    await tabs.walk(page, '/devices')
    await page.getByRole('link', { name: 'In the attic' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No device yet').waitFor()
  })

  test('a key made on the page works for a program, until it is replaced and revoked', async () => {
    const page = volunteer
    await tabs.walk(page, '/keys')
    await page.getByLabel('Name', { exact: true }).fill('my script')
    await page.getByText('Only these').click()
    await page.getByText('devices:read').click()
    await page.getByRole('button', { name: 'Create key' }).click()
    const secretOf = async (): Promise<string> =>
      (await page.getByRole('group', { name: 'The key' }).locator('code').textContent())!
    const first = await secretOf()
    const outcome = async (secret: string, path: string): Promise<number> => {
      const headers = { authorization: `Bearer ${secret}` }
      return (await fetch(`${tabs.station.url}/api${path}`, { headers })).status
    }
    assert.equal(await outcome(first, '/devices'), 200)
    assert.equal(await outcome(first, '/balance'), 403)
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.getByRole('button', { name: 'Replace' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Replace' }).click()
    const second = await secretOf()
    assert.notEqual(second, first)
    assert.equal(await outcome(second, '/devices'), 200)
    // Until the list is read again, the former key is shown as in use.
    await page.getByRole('row').filter({ hasText: 'Replaced' }).waitFor()
    await page
      .getByRole('row')
      .filter({ hasText: 'In use' })
      .getByRole('button', { name: 'Revoke' })
      .click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('row').filter({ hasText: 'Revoked' }).waitFor()
    assert.equal(await outcome(second, '/devices'), 401)
  })

  test('every user sees what they may do, and learns what they may not', async () => {
    assert.deepEqual(await navOf(guest), [
      'Overview',
      'Collections',
      'Archive',
      'Watches',
      'Wikis',
      'Volunteers',
      'Log in',
    ])
    await tabs.open(guest, '/devices')
    await guest.getByText('Log in to continue').waitFor()
    await logIn(guest, 'ana', `${PASSWORD} twice`)
    await guest.getByText('No device yet').waitFor()
    await tabs.open(guest, '/config')
    await guest.getByText('ana has no permission to do this').waitFor()
    await forget(guest)
    assert.deepEqual(await navOf(operator), [
      'Overview',
      'Collections',
      'Archive',
      'Watches',
      'Queries',
      'Wikis',
      'Requests',
      'Volunteers',
      'Station',
      'operator',
    ])
  })

  test('what is not there is said with its code, under a heading', async () => {
    for (const [path, code] of [
      ['/devices/dev_none', 'MINGA_NO_SUCH_DEVICE'],
      ['/requests/bat_none', 'MINGA_NO_SUCH_BATCH'],
    ] as const) {
      await tabs.open(operator, path)
      await operator.getByText(code).waitFor()
      assert.deepEqual(await axeFindings(operator), [], path)
    }
  })

  test('an operator changes the strategy, sees it in the trail, and learns which values are invalid', async () => {
    const page = operator
    await tabs.open(page, '/')
    await page.getByRole('link', { name: 'Station' }).click()
    await page.getByRole('link', { name: 'Settings' }).click()
    const strategy = page.getByRole('article', { name: 'strategy' })
    await strategy.getByLabel('strategy').selectOption('fastest')
    await strategy.getByLabel('Why').fill('trying it out')
    await strategy.getByRole('button', { name: 'Change' }).click()
    await strategy.locator('.mark').getByText('Changed').waitFor()
    const trail = page.getByRole('row').filter({ hasText: 'trying it out' })
    assert.match((await trail.textContent())!, /strategyleast-busyfastestoperator/)
    const blockMax = page.getByRole('article', { name: 'blockMax' })
    await blockMax.getByLabel(/^blockMax/).fill('many')
    await blockMax.getByText('This must be a number.').waitFor()
    assert.equal(await blockMax.getByRole('button', { name: 'Change' }).isDisabled(), true)
    await blockMax.getByLabel(/^blockMax/).fill('1.5')
    await blockMax.getByRole('button', { name: 'Change' }).click()
    await blockMax.getByText('MINGA_BAD_SETTING').waitFor()
    await strategy.getByRole('button', { name: 'Back to least-busy' }).click()
    await strategy.locator('.mark').getByText('Default').waitFor()
  })

  test('a few addresses are sent, followed live, downloaded, and complained about', async () => {
    const page = operator
    const [collection] = (await (await fetch(`${tabs.station.url}/api/collections`)).json()) as {
      spec: { seeds: string[] }
    }[]
    const [seed] = collection!.spec.seeds
    await tabs.walk(page, '/requests')
    await page.getByLabel('Addresses').fill(`${seed}\nhttp://nobody.valley.test:1/\nno address`)
    await page.getByText('Fetch again').click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.waitForURL('**/requests/bat_*')
    await page.locator('.summary .mark').getByText('Ended').waitFor()
    await page.getByText('3 of 3 have ended').waitFor()
    const row = page.getByRole('row').filter({ hasText: seed! })
    await row.getByText('200').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the results' }).click()
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n')
    assert.equal(lines.length, 3)
    const warc = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the pages' }).click()
    const bytes = await readFile(await (await warc).path())
    assert.deepEqual([bytes[0], bytes[1]], [0x1f, 0x8b])
    await row.getByRole('button', { name: 'Complain' }).click()
    await page.getByLabel('What is wrong').fill('It looks odd')
    await page.getByRole('button', { name: 'Request check' }).click()
    await row.getByText('It is being checked').waitFor()
    await page.getByRole('link', { name: 'Requests' }).first().click()
    await page.getByRole('row').filter({ hasText: 'bat_' }).waitFor()
  })

  test('a person adds a passkey and a second factor, and logs in by each of them', async () => {
    const origin = tabs.station.url.replace('127.0.0.1', 'localhost')
    const page = await tabs.visit(`${origin}/register`)
    const devices = await page.context().newCDPSession(page)
    await devices.send('WebAuthn.enable')
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    })
    await page.getByLabel('Name', { exact: true }).fill('secure')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('main').getByRole('button', { name: 'Register' }).click()
    const passkeys = page.locator('section').filter({ hasText: 'Add a passkey' })
    await passkeys.getByLabel('Name of the passkey').fill('my telephone')
    await passkeys.getByLabel('Your password').fill(PASSWORD)
    await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
    await passkeys.getByText('my telephone').waitFor()

    const factor = page.locator('section').filter({ hasText: 'Second factor' })
    await factor.getByLabel('Your password').fill(PASSWORD)
    await factor.getByRole('button', { name: 'Set up' }).click()
    const box = factor.getByRole('group', { name: 'Secret' })
    const secret = (await box.locator('code').textContent())!
    await factor.getByLabel('Code of the app').fill(codeAt(secret, Date.now()))
    await factor.getByRole('button', { name: 'Turn on' }).click()
    await factor.getByText('10 recovery codes are left').waitFor()
    assert.deepEqual(await axeFindings(page), [])

    const leave = async (): Promise<void> => {
      await page.getByRole('main').getByRole('button', { name: 'Log out', exact: true }).click()
      await page.waitForURL(`${origin}/`)
      await tabs.open(page, `${origin}/log-in`)
    }
    await leave()
    await page.getByRole('button', { name: 'Log in with a passkey' }).click()
    await page.getByRole('link', { name: 'secure' }).click()
    await leave()
    await logIn(page, 'secure', PASSWORD)
    await page.getByText('This account has a second factor').waitFor()
    // The code that turned it on was used: the next one is accepted half a minute early.
    const next = codeAt(secret, Date.now() + CODE_STEP_MS)
    await page.getByLabel('Code of the app, or a recovery code').fill(next)
    await page.getByRole('main').getByRole('button', { name: 'Log in', exact: true }).click()
    await page.getByRole('link', { name: 'secure' }).waitFor()
    await page.context().close()
  })

  test('a person links the issuer to their account, and logs in by it', async () => {
    const page = await tabs.visit('/register')
    await page.getByLabel('Name', { exact: true }).fill('linked')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('main').getByRole('button', { name: 'Register' }).click()
    const card = page.locator('section').filter({ hasText: 'Log-in with the town' })
    await card.getByLabel('Your password').fill(PASSWORD)
    await card.getByRole('button', { name: 'Link' }).click()
    await card.getByText(`${issuer.url}, since`).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.getByRole('main').getByRole('button', { name: 'Log out', exact: true }).click()
    await page.waitForURL(`${tabs.station.url}/`)
    await tabs.open(page, '/log-in')
    await page.getByRole('button', { name: 'Log in with the town' }).click()
    await page.getByRole('link', { name: 'linked' }).waitFor()
    assert.equal(new URL(page.url()).search, '')
    await page.context().close()
  })

  test('a client gets an account by a reset link, a budget and a quota, and sees both', async () => {
    const page = operator
    await tabs.walk(page, '/accounts')
    const maker = page.locator('section').filter({ hasText: 'New account' })
    await maker.getByLabel('Name', { exact: true }).fill('cliff')
    await maker.getByText('volunteer').click()
    await maker.getByText('client', { exact: true }).click()
    await maker.getByRole('button', { name: 'Create account' }).click()
    await maker.getByRole('button', { name: 'Create a reset link for cliff' }).click()
    const link = (await maker
      .getByRole('group', { name: 'Reset link' })
      .locator('code')
      .textContent())!
    await page.getByRole('button', { name: 'Manage cliff' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount').fill('0')
    await dialog.getByRole('button', { name: 'Pay in' }).click()
    await dialog.getByText('Enter an amount above zero').waitFor()
    await dialog.getByLabel('Amount').fill('2,5')
    await dialog.getByRole('button', { name: 'Pay in' }).click()
    await dialog.getByText('2.50').waitFor()
    await dialog.getByLabel('Requests a day at most').fill('40')
    await dialog.getByRole('button', { name: 'Set the quota' }).click()
    await dialog.getByText('0 / 40').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await dialog.getByRole('button', { name: 'Close' }).click()

    const client = guest
    await tabs.open(client, link)
    assert.equal(client.url(), `${tabs.station.url}/reset`)
    await client.getByLabel('New password').fill(PASSWORD)
    await client.getByRole('button', { name: 'Set the password' }).click()
    await client.getByText('The new password is set').waitFor()
    await client.getByRole('main').getByRole('link', { name: 'Log in' }).click()
    await logIn(client, 'cliff', PASSWORD)
    await client.getByRole('link', { name: 'cliff' }).click()
    await client.getByRole('link', { name: 'Statement' }).click()
    await client.getByText('0 / 40').waitFor()
    await client.getByRole('row').filter({ hasText: 'Paid in' }).getByText('2.50').first().waitFor()
    const download = client.waitForEvent('download')
    await client.getByRole('link', { name: 'Download as a table' }).click()
    assert.match(await readFile(await (await download).path(), 'utf8'), /top-up/)
    await forget(client)
  })

  test('Abuse heuristics: an injection-like address is flagged on the page, and the client held', async () => {
    const client = guest
    await tabs.open(client, '/requests')
    await logIn(client, 'cliff', PASSWORD)
    const attack = "http://shop.valley.test/?id=1' UNION SELECT password FROM users--"
    const send = async (): Promise<void> => {
      await client.getByLabel('Addresses').fill(attack)
      await client.getByRole('button', { name: 'Send', exact: true }).click()
    }
    await send()
    await client.getByRole('row').filter({ hasText: 'abuse injection' }).waitFor()

    await tabs.walk(operator, '/abuse')
    const row = operator.getByRole('row').filter({ hasText: 'Requests that look like attacks' })
    const flag = operator.getByRole('dialog')
    await row.getByRole('button', { name: /^View/ }).click()
    await flag.getByText('UNION').waitFor()
    await flag.getByLabel('Effect').selectOption('hold')
    await flag.getByLabel('Note').fill('asked them about it')
    await flag.getByRole('button', { name: 'Confirm' }).click()
    await flag.waitFor({ state: 'detached' })
    const flags = operator.getByRole('search', { name: 'Flags of clients' })
    await flags.getByLabel('State').selectOption('confirmed')
    await row.getByText('Confirmed').waitFor()
    await row.getByRole('button', { name: /^View/ }).click()
    await flag.getByText('asked them about it').waitFor()
    assert.deepEqual(await axeFindings(operator), [])

    await tabs.open(client, '/requests')
    await client.getByText('Your requests are restricted').waitFor()
    await send()
    await client.getByText('MINGA_CLIENT_HELD').waitFor()
    await flag.getByRole('button', { name: 'Dismiss' }).click()
    await row.waitFor({ state: 'detached' })
    await forget(client)
  })

  test('a host is denied by name and a category by its list, and both are taken back', async () => {
    const page = operator
    const hosts = page.locator('section').filter({ hasText: 'Hosts denied by name' })
    await hosts.getByLabel('Host', { exact: true }).fill('not a host/')
    await hosts.getByLabel('Why').fill('its owner asked')
    await hosts.getByRole('button', { name: 'Save' }).click()
    await hosts.getByText('MINGA_BAD_HOST').waitFor()
    await hosts.getByLabel('Host', { exact: true }).fill('*.far.test')
    await hosts.getByRole('button', { name: 'Save' }).click()
    const row = hosts.getByRole('row').filter({ hasText: '*.far.test' })
    await row.getByText('Denied').waitFor()
    await row.getByRole('button', { name: 'Withdraw' }).click()
    await row.waitFor({ state: 'detached' })
    // Toasts of what was done before may still be there.
    const toast = page.locator('.toast').filter({ hasText: '*.far.test' })
    const undo = toast.getByRole('button', { name: 'Undo' })
    await undo.click()
    await row.getByText('Denied').waitFor()
    await row.getByRole('button', { name: 'Withdraw' }).click()
    await undo.waitFor()
    await undo.waitFor({ state: 'detached' })
    await row.waitFor({ state: 'detached' })

    const categories = page.locator('section').filter({ hasText: 'Categories of hosts' })
    await categories.getByLabel('Category', { exact: true }).fill('gambling')
    await categories.getByLabel('Hosts to add').fill('dice.test cards.test')
    await categories.getByLabel('Why').fill('our rules')
    await categories.getByRole('button', { name: 'Add to the category' }).click()
    const category = categories.getByRole('row').filter({ hasText: 'gambling' })
    await category.getByText('Denied').waitFor()
    await category.getByRole('button', { name: 'Lift' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Lift' }).click()
    await category.getByText('Not denied').waitFor()
  })

  test('an operator blocks a device with a reason that is shown, and releases it', async () => {
    const page = operator
    await tabs.walk(page, '/devices')
    const row = page.getByRole('row').filter({ hasText: "The operator's own" })
    await row.getByRole('link').click()
    await page.getByRole('button', { name: 'Block' }).click()
    await page.getByLabel('Reason (shown to its owner)').fill('moving the machine')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Block' }).click()
    await page.getByText('Blocked for a time').waitFor()
    await page.getByText('“moving the machine”').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Release' }).click()
    await page.getByText('Released').waitFor()
    await page.locator('main').getByText("The operator's own").waitFor()
  })

  for (const colorScheme of SWEPT_COLOURS) {
    test(`axe finds nothing on any screen of the fleet in ${colorScheme} colours`, async () => {
      await operator.emulateMedia({ colorScheme })
      await tabs.assertAccessible(operator, SCREENS)
      await guest.emulateMedia({ colorScheme })
      await tabs.open(guest, '/')
      await tabs.assertAccessible(guest, OPEN_SCREENS)
    })
  }

  test('no screen of the fleet scrolls sideways at 360 pixels, in any language', () =>
    tabs.assertFitsTelephone(operator, SCREENS))

  test('a dialog is opened, answered and left with the keyboard alone', async () => {
    const page = volunteer
    await tabs.walk(page, '/account')
    // The focus moves in the frame after a dialog has come or gone.
    const focusOn = (name: string): Promise<void> =>
      page.locator(':focus', { hasText: name }).waitFor()
    await page.getByRole('button', { name: 'Log out everywhere' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await focusOn('Go back')
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await focusOn('Log out everywhere')
    await page.keyboard.press('Enter')
    await focusOn('Go back')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Log in' }).waitFor()
  })

  test('the browser had nothing to complain about', () => {
    assert.deepEqual(tabs.complaints, [])
  })
})
