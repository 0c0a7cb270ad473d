/**
 * Loaded before node:test: keeps it from hooking into every promise of a process.
 *
 * By that hook node:test knows which test an uncaught error belongs to, and it costs an eighth of the processor time
 * of tests that await promises all the time. Without it such an error still fails the process by its exit code;
 * it is printed here, because node:test reports it without its stack.
 */
const hooks = process.getBuiltinModule('node:async_hooks')
const idle = { enable: () => idle, disable: () => idle }
hooks.createHook = () => idle

const print = (error: unknown): void => console.error('Not caught by any test:', error)
process.on('uncaughtExceptionMonitor', print)
process.on('unhandledRejection', print)
