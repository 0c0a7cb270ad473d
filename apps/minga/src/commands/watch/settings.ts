/** The settings of a watch as options, for `watch add` and `watch set`. */
import type { WatchChanges } from '@minga/protocol'
import { Option, type Command } from 'commander'
import { BadOption } from '../../errors.ts'
import { append, wholeNumber } from '../../options.ts'
import { durationIn } from './text.ts'

/** Takes a value away again; commander cannot carry null. */
const NONE = 'none'
type None = typeof NONE

export interface SettingOptions {
  name?: string
  category?: number | None
  observations?: string
  period?: number | None
  policy?: string
  importance?: number
  budgetShare?: number | None
  floor?: number | None
  threshold?: number
  includeSelector?: string[]
  excludeSelector?: string[]
}

function orNone<T>(word: string, read: (text: string) => T): (text: string) => T | None {
  return (text) => (text === word ? NONE : read(text))
}

function decimal(option: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (text.trim() === '' || !(number >= least && number <= most)) {
      throw new BadOption(option, `a number from ${least} to ${most}`, text)
    }
    return number
  }
}

export function addSettingOptions(command: Command): Command {
  return command
    .option('--name <text>', 'its name')
    .addOption(
      new Option('--category <code>', 'a code of `watch categories`, or none').argParser(
        orNone('none', wholeNumber('--category')),
      ),
    )
    .option('--observations <text>', 'notes for people')
    .addOption(
      new Option('--period <time>', 'visit again after 6h, 2d…; auto: Minga decides').argParser(
        orNone('auto', durationIn('--period')),
      ),
    )
    .addOption(
      new Option('--policy <name>', 'how visits are planned; auto: Minga chooses').argParser(
        orNone('auto', (text) => text),
      ),
    )
    .option('--importance <n>', 'relative to other watches', decimal('--importance', 0.001, 1_000))
    .addOption(
      new Option('--budget-share <n>', 'of all visits at most, 0 to 1, or none').argParser(
        orNone('none', decimal('--budget-share', 0, 1)),
      ),
    )
    .addOption(
      new Option('--floor <time>', 'visit at least this often, or none').argParser(
        orNone('none', durationIn('--floor')),
      ),
    )
    .option('--threshold <n>', 'a change is important above this', decimal('--threshold', 0, 1))
    .option('--include-selector <css>', 'only what matches counts (repeatable)', append)
    .option('--exclude-selector <css>', 'what matches never counts (repeatable)', append)
}

/** Only what was given. */
export function settingsOf(options: SettingOptions): WatchChanges {
  const given = {
    name: options.name,
    category: options.category,
    observations: options.observations,
    periodMs: options.period,
    policy: options.policy,
    importance: options.importance,
    budgetShare: options.budgetShare,
    floorMs: options.floor,
    threshold: options.threshold,
    includeSelectors: options.includeSelector,
    excludeSelectors: options.excludeSelector,
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    set.map(([name, value]) => [name, value === NONE && name in EMPTIABLE ? null : value]),
  )
}

const EMPTIABLE = { category: 1, periodMs: 1, policy: 1, budgetShare: 1, floorMs: 1 }
