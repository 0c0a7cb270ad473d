/**
 * node:test follows every promise and timer through a hook of `node:async_hooks`, which takes a sixth
 * of the processor time of tests. It needs the hook to know the suite around a test that is being
 * declared, and afterwards only to say which test an error belongs to that nobody caught.
 */
import { createHook, type AsyncHook } from 'node:async_hooks'

const enabled: AsyncHook[] = []

/** To be called before node:test begins. */
export function keepTestHooks(): void {
  const prototype = Object.getPrototypeOf(createHook({})) as AsyncHook
  const enable = Reflect.get(prototype, 'enable') as () => AsyncHook
  prototype.enable = function keep(this: AsyncHook) {
    enabled.push(this)
    return enable.call(this)
  }
}

/** To be called when all tests are declared. */
export function disableTestHooks(): void {
  for (const hook of enabled.splice(0)) hook.disable()
}
