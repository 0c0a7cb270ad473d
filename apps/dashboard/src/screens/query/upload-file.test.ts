// Goal: a file arrives whole whatever happens on the way, or it is said that it did not. Method: a station of a few lines
// that loses parts and answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uploadFile, UploadStuck, type UploadCalls } from './upload-file.ts'

class Receiving {
  text = ''
  isFinished = false
  /** What happens to the next parts: arrive, are lost, or arrive and the answer is lost. */
  fates: ('lost' | 'unheard')[] = []
  calls: UploadCalls = {
    begin: async () => ({ id: 'inp_1', received: 0, partBytesMax: 4 }),
    send: async (_, { offset, bytes }) => {
      const fate = this.fates.shift()
      if (fate === 'lost' || offset !== this.text.length) return null
      this.text += await bytes.text()
      return fate === 'unheard' ? null : this.text.length
    },
    read: async () => ({ id: 'inp_1', received: this.text.length, partBytesMax: 4 }),
    finish: async () => void (this.isFinished = true),
    sleep: async () => {},
  }
}

const file = new File(['abcdefghijkl'], 'x.csv')
const options = (seen: number[] = []) => ({
  signal: new AbortController().signal,
  onProgress: (received: number) => void seen.push(received),
})

test('a file is sent in parts and its progress is reported', async () => {
  const station = new Receiving()
  const seen: number[] = []
  assert.equal(await uploadFile(file, station.calls, options(seen)), 'inp_1')
  assert.deepEqual([station.text, seen, station.isFinished], ['abcdefghijkl', [4, 8, 12], true])
})

test('parts that are lost, and answers that are, leave no hole and nothing twice', async () => {
  const station = new Receiving()
  station.fates = ['lost', 'unheard', 'lost', 'unheard']
  await uploadFile(file, station.calls, options())
  assert.equal(station.text, 'abcdefghijkl')
})

test('a station that takes nothing is given up, and nothing is finished', async () => {
  const station = new Receiving()
  station.fates = Array.from({ length: 20 }, () => 'lost' as const)
  await assert.rejects(uploadFile(file, station.calls, options()), UploadStuck)
  assert.equal(station.isFinished, false)
})

test('an empty file is finished at once, and a stopped one is not', async () => {
  const station = new Receiving()
  await uploadFile(new File([], 'x.csv'), station.calls, options())
  assert.equal(station.isFinished, true)
  const stopped = new Receiving()
  await assert.rejects(
    uploadFile(file, stopped.calls, { ...options(), signal: AbortSignal.abort() }),
  )
  assert.equal(stopped.isFinished, false)
})
