/** Is this a query at all? Its shape only: columns and expressions are judged when its inputs are known. */
import { fieldRule } from '@minga/protocol'
import { z } from 'zod'
import { BadQuery } from '../errors.ts'
import type { Query, Step } from '../model.ts'

/** Far beyond what anyone writes by hand; a tree without bounds could exhaust the planner. */
const STEPS_MOST = 200
const TEXT_MOST = 10_000

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/u, 'must be small letters, digits and hyphens (at most 63)')
const column = z
  .string()
  .max(128)
  .regex(/^[^_\s"][^"\n]*$/u, 'must not be empty, begin with an underscore or hold a double quote')
const expression = z.string().trim().min(1).max(TEXT_MOST)
const columns = z.array(column).min(1)

const order = z.strictObject({ column, descending: z.boolean().optional() })

const aggregate = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('count'), of: expression.optional() }),
  ...(['sum', 'avg', 'min', 'max', 'distinct', 'list'] as const).map((is) =>
    z.strictObject({ is: z.literal(is), of: expression }),
  ),
  z.strictObject({ is: z.literal('quantile'), of: expression, q: expression }),
])

/** Each step without those it stands on, which are judged by themselves so that an error can name its step. */
const STEPS = {
  scan: z.strictObject({ step: z.literal('scan'), input: z.string() }),
  filter: z.strictObject({ step: z.literal('filter'), from: z.unknown(), where: expression }),
  project: z.strictObject({
    step: z.literal('project'),
    from: z.unknown(),
    columns: z.record(column, expression).refine((of) => Object.keys(of).length > 0, 'is empty'),
  }),
  first: z.strictObject({ step: z.literal('first'), from: z.unknown(), by: columns }),
  join: z.strictObject({
    step: z.literal('join'),
    from: z.unknown(),
    with: z.unknown(),
    on: z.array(z.union([column, z.tuple([column, column])])).min(1),
    kind: z.enum(['inner', 'left', 'semi', 'anti']),
    how: z.enum(['broadcast', 'shuffle']),
  }),
  group: z.strictObject({
    step: z.literal('group'),
    from: z.unknown(),
    by: z.array(column),
    aggregates: z.record(column, aggregate),
  }),
  quantile: z.strictObject({
    step: z.literal('quantile'),
    from: z.unknown(),
    of: expression,
    q: expression,
    keep: z.enum(['from', 'below']),
  }),
  top: z.strictObject({
    step: z.literal('top'),
    from: z.unknown(),
    rows: z.union([z.int().min(1), expression]),
    by: z.array(order).min(1),
  }),
  rowFunction: z.strictObject({
    step: z.literal('rowFunction'),
    from: z.unknown(),
    function: z.string().min(1).max(200),
    of: z.array(expression).min(1),
    as: z.strictObject({ name: column, type: z.string().regex(/^[A-Z0-9_(), [\]]{1,100}$/u) }),
  }),
}

const query = z.strictObject({
  name,
  about: z.string().max(1000),
  inputs: z.record(
    z.string().regex(/^[a-z][a-z0-9_]{0,62}$/u, 'must be small letters, digits and underscores'),
    z.union([
      z.strictObject({ columns: z.record(column, fieldRule) }),
      z.strictObject({ table: z.string().min(1) }),
    ]),
  ),
  parameters: z
    .record(
      z.string().regex(/^[A-Za-z]\w{0,62}$/u, 'must be letters, digits and underscores'),
      z.strictObject({
        type: z.enum(['text', 'integer', 'number']),
        default: z.union([z.string().max(TEXT_MOST), z.number()]),
        about: z.string().max(1000),
      }),
    )
    .optional(),
  from: z.unknown(),
  output: z.strictObject({ columns, order: z.array(order) }),
})

export function checkQuery(value: unknown): Query {
  const judged = query.safeParse(value)
  if (!judged.success) throw new BadQuery(`This is no query: ${said(judged.error)}`)
  const left = { steps: STEPS_MOST }
  checkStep(judged.data.from, { title: judged.data.name, side: '' }, left)
  return judged.data as Query
}

interface Place {
  title: string
  /** Of the right side of a join: which one. */
  side: string
}

/** How many steps the chain below has, this one included. */
function checkStep(value: unknown, place: Place, left: { steps: number }): number {
  left.steps -= 1
  if (left.steps < 0) throw new BadQuery(`${place.title} has more than ${STEPS_MOST} steps.`)
  const kind = (value as { step?: unknown } | null | undefined)?.step
  if (typeof kind !== 'string' || !Object.hasOwn(STEPS, kind)) {
    throw new BadQuery(
      `${place.title}${place.side}: "${String(kind)}" is no step. Steps are ${Object.keys(STEPS).join(', ')}.`,
    )
  }
  const of = value as { from?: unknown; with?: unknown }
  const number = kind === 'scan' ? 1 : checkStep(of.from, place, left) + 1
  const at = stepName(number, kind as Step['step'], place.side)
  const judged = STEPS[kind as Step['step']].safeParse(value)
  if (!judged.success) throw new BadQuery(`${place.title}${at}: ${said(judged.error)}`)
  if (kind === 'join') checkStep(of.with, { ...place, side: `${at}, right side` }, left)
  return number
}

/** Steps are counted from the scan upwards, as they are written and as the rows meet them. */
export const stepName = (number: number, kind: Step['step'], side: string): string =>
  `${side}, step ${number} (${kind})`

const PROBLEMS_MOST = 10

const said = ({ issues }: z.ZodError): string =>
  issues
    .slice(0, PROBLEMS_MOST)
    .map(({ path, message }) => `${path.join('.') || 'it'} ${message}`)
    .join('; ')
