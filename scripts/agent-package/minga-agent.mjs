#!/usr/bin/env node
/**
 * The door of the installed agent. Plain JavaScript on purpose: an old Node must be able to parse
 * it, so that its owner sees what to do instead of a stack trace.
 */
const OLDEST = 24
const EXIT_CONFIG = 4

if (Number(process.versions.node.split('.')[0]) >= OLDEST) {
  muteExperimentalWarnings()
  await import('../lib/agent-main.js')
} else {
  process.stderr.write(
    `minga-agent needs Node ${OLDEST} or newer and this is Node ${process.versions.node}; ` +
      'install a newer one from https://nodejs.org/.\n',
  )
  process.exitCode = EXIT_CONFIG
}

/** Some 24.x call node:sqlite experimental; the owner of a machine cannot act on that. */
function muteExperimentalWarnings() {
  const printers = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning') return
    for (const print of printers) print.call(process, warning)
  })
}
