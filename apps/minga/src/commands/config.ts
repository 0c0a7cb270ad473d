/** `minga config`: what an operator changes while a station runs, and who changed what. */
import type { SettingView, ShownChange } from '@minga/coordinator'
import type { Command } from 'commander'
import type { Api } from '../api.ts'
import { BadOption } from '../errors.ts'
import { operatorCommand, wholeNumber } from '../options.ts'
import type { Run } from '../run-program.ts'
import { reachApi, withApi, type StationOptions } from './reach-api.ts'

const EXAMPLES = `
Examples:
  minga config show
  minga config show --json | jq '.settings[] | select(.source == "changed")'
  minga config set strategy fastest --note "agents differ a lot"
  minga config set cacheMs 3600000
  minga config set openRequestsMax null            no limit
  minga config set filter "$(cat filter.json)"     what is collected at all
  minga config reset cacheMs                       back to the start's value or the default
  minga config changes --limit 20
  minga config show --station https://station.example --key "$KEY"

A change holds at once, without a restart. Without --station the station that serves the folder is
asked, or the folder is opened. docs/reference/settings.md lists all settings.
`

export function configCommand(program: Command, run: Run): void {
  const config = program
    .command('config')
    .description('show and change the settings of a station while it runs')
    .addHelpText('after', EXAMPLES)
  const command = (name: string, description: string): Command =>
    operatorCommand(config, name).description(description).addHelpText('after', EXAMPLES)
  command('show', 'every setting, its value and where it comes from').action(
    run((options: StationOptions) => withApi(reachApi(options), (api) => show(api, options))),
  )
  command('set', 'change one setting')
    .argument('<name>', 'as `config show` names it')
    .argument('<value>', 'a number, a word, JSON, or null for no limit')
    .option('--note <text>', 'why, for those who read the changes')
    .action(
      run((name: string, value: string, options: StationOptions & { note?: string }) =>
        withApi(reachApi(options), (api) => set(api, [name, value], options)),
      ),
    )
  command('reset', 'back to what the station was started with, or to the default')
    .argument('<name>', 'as `config show` names it')
    .option('--note <text>', 'why, for those who read the changes')
    .action(
      run((name: string, options: StationOptions & { note?: string }) =>
        withApi(reachApi(options), (api) => reset(api, name, options)),
      ),
    )
  command('changes', 'who changed what, the newest first')
    .option('--limit <n>', 'how many', wholeNumber('--limit', 1), 50)
    .action(
      run((options: StationOptions & { limit: number }) =>
        withApi(reachApi(options), (api) => changes(api, options)),
      ),
    )
}

async function show(api: Api, { json }: StationOptions): Promise<void> {
  const settings = await api.get<SettingView[]>('/settings')
  if (json) return printJson({ settings })
  for (const { name, value, unit, source, about } of settings) {
    const shown = `${textOf(value)}${unit === null ? '' : ` ${unit}`}`
    print(`${name.padEnd(NAME_WIDTH)} ${shown.padEnd(VALUE_WIDTH)} ${source.padEnd(8)} ${about}`)
  }
}

/** Of the table; longer ones push the rest of their line to the right. */
const NAME_WIDTH = 18
const VALUE_WIDTH = 18

async function set(
  api: Api,
  [name, text]: [name: string, text: string],
  { json, note }: StationOptions & { note?: string },
): Promise<void> {
  // There is no such setting, and the station would take it for the reason of the change.
  if (name === 'note') throw new BadOption('config set', 'the name of a setting', name)
  const body = { [name]: valueIn(text), ...(note === undefined ? {} : { note }) }
  printSettings(await api.patch<SettingView[]>('/settings', body), name, json)
}

async function reset(
  api: Api,
  name: string,
  { json, note }: StationOptions & { note?: string },
): Promise<void> {
  const query = note === undefined ? '' : `?note=${encodeURIComponent(note)}`
  const path = `/settings/${encodeURIComponent(name)}${query}`
  printSettings(await api.remove<SettingView[]>(path), name, json)
}

function printSettings(settings: readonly SettingView[], name: string, json = false): void {
  const setting = settings.find((one) => one.name === name)!
  if (json) return printJson(setting)
  const { value, holds } = setting
  process.stderr.write(`minga: ${name} is ${textOf(value)} (${holds})\n`)
}

async function changes(
  api: Api,
  { json, limit }: StationOptions & { limit: number },
): Promise<void> {
  const all: ShownChange[] = []
  for (let before = Number.MAX_SAFE_INTEGER; all.length < limit;) {
    const step = Math.min(CHANGES_PER_CALL, limit - all.length)
    const page = await api.get<ShownChange[]>(`/settings/changes?before=${before}&limit=${step}`)
    all.push(...page)
    if (page.length < step) break
    before = page.at(-1)!.no
  }
  if (json) return printJson({ changes: all })
  for (const { at, by, name, before, after, note } of all) {
    const why = note === null ? '' : ` (${note})`
    const when = new Date(at).toISOString()
    print(`${when} ${by ?? '-'} ${name}: ${textOf(before)} → ${textOf(after)}${why}`)
  }
}

const CHANGES_PER_CALL = 1_000

/** Words need no quotes. */
function valueIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

function printJson(value: unknown): void {
  print(JSON.stringify(value))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
