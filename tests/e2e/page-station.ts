/** A real station and a real browser for the tests of the page. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import { chromium, type Browser, type Frame, type Page } from 'playwright-core'

const ROOT = join(import.meta.dirname, '../..')
const CHROMIUM = process.env['MINGA_TEST_CHROMIUM'] ?? '/usr/bin/chromium'

/** Of a suite that needs a browser: why it is left out, if it is. */
export const skipWithoutChromium = existsSync(CHROMIUM) ? false : 'Chromium is not installed'

export interface Station {
  url: string
  /** The address it prints, which signs in one browser. */
  signIn: string
  key: string
  stop(): Promise<void>
}

export async function startStation(...options: string[]): Promise<Station> {
  const own = await mkdtemp(join(tmpdir(), 'minga-page-'))
  const data = options[options.indexOf('--data') + 1 || options.length] ?? own
  const door = join(ROOT, 'apps/minga/bin/minga.mjs')
  const child = spawn(process.execPath, [door, 'up', '--port', '0', '--data', own, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = await printedAddress(child)
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit')
      child.kill('SIGINT')
      await exited
    }
    await rm(own, { recursive: true, force: true })
  }
  const { origin } = new URL(printed)
  const file = JSON.parse(await readFile(join(data, 'station.json'), 'utf8')) as { apiKey: string }
  const key = file.apiKey
  return { url: origin, signIn: printed, key, stop }
}

async function printedAddress(child: ChildProcess): Promise<string> {
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => (errors += String(chunk)))
  let text = ''
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    const address = /https?:\S+\/#sign-in=[\w-]+(?=\n)/.exec(text)?.[0]
    if (address !== undefined) return address
  }
  throw new Error(`The station did not start: ${errors}`)
}

/** What the operator's key may ask of the station; a body is sent, anything but 200 is thrown. */
export async function askStation<T>(station: Station, path: string, body?: object): Promise<T> {
  const response = await fetch(`${station.url}/api${path}`, {
    headers: { authorization: `Bearer ${station.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  const answer = await response.text()
  if (response.status !== 200) throw new Error(`${path} → ${response.status} ${answer}`)
  return JSON.parse(answer) as T
}

/** Builds the page when its sources changed. */
export async function buildPage(): Promise<void> {
  const script = join(ROOT, 'apps/dashboard/build.ts')
  const child = spawn(process.execPath, [script, '--if-stale'], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number]
  if (code !== 0) throw new Error('The page could not be built.')
}

/**
 * The first two draw suggestions below the address bar of every window, in a process of their own that takes as
 * long as a screen of ours. Chromium obeys the last flag of this name alone: the others are what Playwright turns off.
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      `--disable-features=${DISABLED_FEATURES.join(',')}`,
      // Screens live for seconds: to optimise their scripts takes longer than to run them as they are.
      '--js-flags=--no-opt --no-maglev',
    ],
  })
}

/**
 * Every finding of axe, one line each. Evaluated by the debugger, past the page's policy,
 * and once per loaded page: to send the program takes three times as long as to run it.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate<{ violations: Violation[] }>(AXE)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** After two frames: a button that has just been enabled still has the colours of one that was not. */
const AXE = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  .then(() => axe.run({ resultTypes: ["violations"], selectors: false }))`

interface Violation {
  id: string
  nodes: { html: string }[]
}

/** Of one wait for the player, and how often it is tried. */
const REPLAY_MS = 60_000
const RELOADS_MAX = 4

/**
 * The innermost frame, once it shows something from the archive. The player's service worker
 * sometimes misses the page's first call on a busy machine and waits for ever, as it does for
 * people; they press reload, and so do we.
 */
export async function replayedFrame(page: Page): Promise<Frame> {
  for (let tries = 1; tries <= RELOADS_MAX; tries++) {
    const deadlineMs = performance.now() + REPLAY_MS / RELOADS_MAX
    while (performance.now() < deadlineMs) {
      const frame = page.frames().find((each) => /\/replay\/w\/.*mp_\//.test(each.url()))
      if (frame) return frame
      await page.waitForTimeout(100)
    }
    await page.reload()
  }
  const urls = page.frames().map((frame) => frame.url())
  throw new Error(`Nothing was replayed; the frames are ${urls.join(', ')}.`)
}
