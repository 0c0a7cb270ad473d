/**
 * What test files import as `node:test`. Its own hook follows every promise and timer of a process, so that `after()`
 * and uncaught errors find their test: a sixth of the processor time of tests. The tests of a process run one after the
 * other, and Node passes on the context of a call by itself, so that neither needs the hook.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import * as original from 'node:test'

export { afterEach, beforeEach, mock, run } from 'node:test'

type Body = (context: original.TestContext) => unknown
type Hook = () => unknown

/** What `after()` adds to: the test under way, or the suite whose `before()` is under way. */
interface Scope {
  after(hook: Hook): void
}

const running = new AsyncLocalStorage<Scope>()
/** Hooks that `before()` of the suite being declared will add, to be called after all others of that suite. */
const declared = new AsyncLocalStorage<Hook[]>()
const declarations: Promise<void>[] = []
/** Fails the test under way. */
let fail: ((error: unknown) => void) | null = null

for (const name of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(name, (error) => fail?.(error))

/** While a suite or file is declared, it belongs to that; later to the test or `before()` that calls it, also indirectly. */
export const after: typeof original.after = (hook, options) => {
  const scope = running.getStore()
  if (scope === undefined || hook === undefined) original.after(hook, options)
  else scope.after(hook as Hook)
}

export const before: typeof original.before = (hook, options) => {
  const hooks = declared.getStore()
  if (hooks === undefined || hook === undefined) return original.before(hook, options)
  const scope = { after: (later: Hook) => void hooks.push(later) }
  original.before(() => failing(scope, hook as Hook), options)
}

/** Resolves when every suite so far has declared its tests: some open a database first. */
export async function suitesDeclared(): Promise<void> {
  while (declarations.length > 0) await Promise.allSettled(declarations.splice(0))
}

const declareTest = (...args: readonly unknown[]): unknown =>
  Reflect.apply(original.test, undefined, args.map(asTest))
const declareSuite = (...args: readonly unknown[]): unknown =>
  Reflect.apply(original.describe, undefined, args.map(asSuite))

export const test = Object.assign(declareTest, original.test) as typeof original.test
export const describe = Object.assign(declareSuite, original.describe) as typeof original.describe

function asTest(argument: unknown): unknown {
  if (typeof argument !== 'function') return argument
  return (context: original.TestContext) => failing(context, () => (argument as Body)(context))
}

function asSuite(argument: unknown): unknown {
  if (typeof argument !== 'function') return argument
  return (context: original.SuiteContext) => {
    const declaration = declareWithHooks(() => (argument as (given: unknown) => unknown)(context))
    declarations.push(declaration)
    return declaration
  }
}

async function declareWithHooks(body: Hook): Promise<void> {
  const hooks: Hook[] = []
  await declared.run(hooks, async () => body())
  original.after(async () => {
    for (const hook of hooks) await hook()
  })
}

/** An error that nothing catches in the meantime fails it. */
async function failing(scope: Scope, body: Hook): Promise<void> {
  const outer = fail
  const failed = Promise.withResolvers<never>()
  fail = failed.reject
  try {
    await Promise.race([running.run(scope, async () => body()), failed.promise])
  } finally {
    fail = outer
  }
}
