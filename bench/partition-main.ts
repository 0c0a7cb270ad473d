/**
 * One partition in a process of its own, so that compiling the code is part of the time, as it is for
 * a user who runs the command once.  node bench/partition-main.ts FILE K PRESET SEED PARTS
 */
import { createReadStream, writeFileSync } from 'node:fs'
import { partition, readMetis, type PresetName } from '@minga/partition'

const [file = '', k = '2', preset = 'default', seed = '1', out = ''] = process.argv.slice(2)
const { graph } = await readMetis(file, createReadStream(file, { highWaterMark: 1 << 20 }))
const before = process.threadCpuUsage()
const startedMs = performance.now()
const { parts } = partition(graph, {
  k: Number(k),
  preset: preset as PresetName,
  seed: Number(seed),
})
const { user, system } = process.threadCpuUsage(before)
writeFileSync(out, `${parts.join('\n')}\n`)
process.stdout.write(
  JSON.stringify({
    cpuSeconds: (user + system) / 1e6,
    wallSeconds: (performance.now() - startedMs) / 1_000,
    peakMb: process.resourceUsage().maxRSS / 1_000,
  }),
)
