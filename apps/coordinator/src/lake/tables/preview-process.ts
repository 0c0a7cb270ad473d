/** The process that looks into the beginning of one file; its parent ends it when it has heard, or when it takes too long. */
import { previewImport, type PreviewAsked, type PreviewedImport } from '@minga/lake'
import { isMingaError } from '@minga/protocol'

/** It writes into the folder that it was started with. */
export type PreviewQuestion = Omit<PreviewAsked, 'signal' | 'folder'>

export type PreviewSaid =
  | { preview: PreviewedImport }
  | { problem: { code: string | null; message: string } }

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? text

function problemOf(error: unknown): PreviewSaid {
  const message = error instanceof Error ? error.message : String(error)
  const code = isMingaError(error) ? error.code : null
  return { problem: { code, message: firstLine(message) } }
}

if (import.meta.main) {
  process.once('disconnect', () => process.exit(1))
  process.once('message', (question: PreviewQuestion) => {
    const { signal } = new AbortController()
    const [folder = ''] = process.argv.slice(2)
    previewImport({ ...question, folder, signal }).then(
      (preview) => process.send!({ preview } satisfies PreviewSaid),
      (error: unknown) => process.send!(problemOf(error)),
    )
  })
}
