/** The measures of a wiki or of a page, by name. */
import {
  coEditors,
  compileFilter,
  countRevisions,
  editBursts,
  editGaps,
  editInequality,
  editorSplit,
  editsBy,
  editSessions,
  editWars,
  identityReverts,
  sizeDeltas,
  tagUse,
  topEditors,
  type Ask,
  type Choice,
  type MetricFilter,
} from '@minga/wiki'
import { z } from 'zod'

type Measure = (ask: Ask, choice: Choice) => Promise<unknown>

const MEASURES = {
  editors: topEditors,
  split: editorSplit,
  inequality: editInequality,
  hours: (ask, choice) => editsBy(ask, choice, { bucket: 'hour' }),
  weekdays: (ask, choice) => editsBy(ask, choice, { bucket: 'weekday' }),
  months: (ask, choice) => editsBy(ask, choice, { bucket: 'month' }),
  years: (ask, choice) => editsBy(ask, choice, { bucket: 'year' }),
  gaps: editGaps,
  sessions: editSessions,
  sizes: sizeDeltas,
  reverts: identityReverts,
  wars: editWars,
  bursts: editBursts,
  together: coEditors,
  tags: tagUse,
} satisfies Record<string, Measure>

export const measureName = z.enum(Object.keys(MEASURES) as (keyof typeof MEASURES)[])
export type MeasureName = z.infer<typeof measureName>

type MeasureAnswers = {
  [Name in MeasureName]: Awaited<ReturnType<(typeof MEASURES)[Name]>>
}

/** As many as were asked for. */
export interface WikiMeasures extends Partial<MeasureAnswers> {
  revisions: number
}

/** The default measures when the caller names none. */
const USUAL: readonly MeasureName[] = ['editors', 'split', 'inequality', 'gaps', 'sizes', 'reverts']

export async function measure(
  ask: Ask,
  { filter, only, now }: { filter: MetricFilter; only: readonly MeasureName[]; now: number },
): Promise<WikiMeasures> {
  const { count } = await countRevisions(ask, filter, now)
  const choice = compileFilter(filter, now)
  const measures: Record<string, unknown> = {}
  for (const name of only.length > 0 ? only : USUAL) {
    const read: Measure = MEASURES[name]
    measures[name] = await read(ask, choice)
  }
  return { revisions: count, ...(measures as Partial<MeasureAnswers>) }
}
