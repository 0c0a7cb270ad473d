/** The registry as the table of docs/reference/settings.md. */
import { SETTING_NAMES, SETTINGS, type SettingName } from './registry.ts'

const INTRODUCTION = `# Settings

What an operator changes while the station runs, without a restart and without losing a request:
\`minga config set NAME VALUE\`, or \`PATCH /api/settings\`. Every change is kept with who made it, when
and why: \`minga config changes\`, or \`GET /api/settings/changes\`. Several coordinators on one database
all follow within a second.

Where a value comes from, the strongest last: the default; \`settings.json\` in the data folder (an
object, \`{"cacheMs": 3600000}\`); the environment (\`MINGA_SETTING_CACHE_MS=3600000\`); a flag of the
start (\`minga up --delay\`); a change while it runs. \`minga config show\` and the page say which it was.

This page is made from \`apps/coordinator/src/station/settings/registry.ts\`; a test keeps the two equal.
`

const TITLES = ['Setting', 'What it does', 'Default', 'May be', 'A change holds']

export function settingsTable(): string {
  const rows = SETTING_NAMES.map(cellsOf)
  const widths = TITLES.map((title, i) =>
    rows.reduce((most, row) => Math.max(most, row[i]!.length), title.length),
  )
  const line = (cells: readonly string[], filler: string): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i]!, filler)).join(' | ')} |`
  const dashes = line(
    TITLES.map(() => ''),
    '-',
  )
  const table = [line(TITLES, ' '), dashes, ...rows.map((row) => line(row, ' '))]
  return `${INTRODUCTION}\n${table.join('\n')}\n`
}

function cellsOf(name: SettingName): string[] {
  const { default: usual, unit, about, holds } = SETTINGS[name]
  const shown = `\`${JSON.stringify(usual).replaceAll('"', '')}\``
  return [`\`${name}\``, about, unit === null ? shown : `${shown} ${unit}`, rangeOf(name), holds]
}

function rangeOf(name: SettingName): string {
  const { min, max, choices, schema, wanted } = SETTINGS[name]
  if (choices !== null) return choices.map((choice) => `\`${choice}\``).join(', ')
  if (min === null || max === null) return wanted
  return `${min} to ${max}${schema.safeParse(null).success ? ', or `null`: no limit' : ''}`
}
