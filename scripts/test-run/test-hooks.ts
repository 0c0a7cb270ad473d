/** Puts `node-test.ts` in the place of node:test, and ends the hook that it makes unnecessary. */
import { createHook, type AsyncHook } from 'node:async_hooks'
import { registerHooks } from 'node:module'

const NODE_TEST = new URL('./node-test.ts', import.meta.url).href
const enabled: AsyncHook[] = []

/** To be called before node:test begins, whose hook nothing else gives out. */
export function keepTestHooks(): void {
  const prototype = Object.getPrototypeOf(createHook({})) as AsyncHook
  const enable = Reflect.get(prototype, 'enable')
  prototype.enable = function keep(this: AsyncHook) {
    enabled.push(this)
    return enable.call(this)
  }
}

/** To be called before any test file is loaded. */
export function replaceNodeTest(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'node:test' && context.parentURL !== NODE_TEST
        ? { url: NODE_TEST, format: 'module-typescript', shortCircuit: true }
        : next(specifier, context),
  })
}

/** To be called when all files are loaded: suites need the hook while they are declared. */
export function disableTestHooks(): void {
  for (const hook of enabled.splice(0)) hook.disable()
}
