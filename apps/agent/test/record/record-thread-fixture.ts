/** A recording thread for tests: it goes astray in a page that says so, unless that is not to be read. */
import { parentPort, workerData } from 'node:worker_threads'
import { recordFinding } from '../../src/record/record.ts'
import type { RecorderData } from '../../src/record/recorder.ts'
import { serveRecorder } from '../../src/record/serve-recorder.ts'

if (parentPort) {
  serveRecorder(parentPort, workerData as RecorderData, (tools, finding) => {
    const { outcome, unread } = finding
    const text = outcome?.ok && unread === undefined ? outcome.body.toString() : ''
    while (text.includes('read me for ever'));
    if (text.includes('fill the memory')) fillMemory()
    return recordFinding(tools, finding)
  })
}

function fillMemory(): void {
  const kept: object[] = []
  for (;;) kept.push({ kept: kept.length })
}
