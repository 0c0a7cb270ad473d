/** What is filtered, as a file: of a station's list all its pages are read, and that can be stopped. */
import { useRef, useState } from 'react'
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Failure } from '../failure.tsx'
import { useFormat } from '../use-format.ts'
import type { FilledColumn } from './list-column.ts'
import { FILE_TYPES, pieces, type FileKind } from './list-file.ts'
import { saveFile } from './save-file.ts'

interface ListExportProps<Row> {
  columns: readonly FilledColumn<Row>[]
  /** Without its ending. */
  fileName: string
  readAll: ReadAll<Row>
}

export function ListExport<Row>({ columns, fileName, readAll }: ListExportProps<Row>) {
  const { t } = useTranslation()
  const [error, setError] = useState<Error | null>(null)
  const { count, walk, stop } = useWalk()
  const save = async (kind: FileKind): Promise<void> => {
    setError(null)
    try {
      const rows = await walk(readAll)
      if (rows === null) return
      const file = new Blob([...pieces(rows, columns, kind)], { type: FILE_TYPES[kind] })
      saveFile(file, `minga-${fileName}.${kind}`)
    } catch (reason) {
      setError(reason as Error)
    }
  }
  if (count !== null) return <Walking count={count} onStop={stop} />
  return (
    <>
      <DialogTrigger>
        <Button>{t('list.export')}</Button>
        <Popover className="popover">
          <Dialog aria-label={t('list.export')}>
            {({ close }) =>
              (['csv', 'jsonl'] as const).map((kind) => (
                <Button
                  key={kind}
                  onPress={() => {
                    close()
                    void save(kind)
                  }}
                >
                  {t(`list.file.${kind}`)}
                </Button>
              ))
            }
          </Dialog>
        </Popover>
      </DialogTrigger>
      <Failure error={error} />
    </>
  )
}

function Walking({ count, onStop }: { count: number; onStop: () => void }) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <span className="list-walk">
      {t('list.walked', { number: format.count(count) })}
      <Button onPress={onStop}>{t('list.stop')}</Button>
    </span>
  )
}

type ReadAll<Row> = (walk: {
  signal: AbortSignal
  onCount: (count: number) => void
}) => Promise<readonly Row[]>

/** How many rows were read so far, null when nothing is being read; a stopped walk gives null. */
export function useWalk() {
  const [count, setCount] = useState<number | null>(null)
  const stopper = useRef(new AbortController())
  const walk = async <Row,>(readAll: ReadAll<Row>): Promise<readonly Row[] | null> => {
    stopper.current = new AbortController()
    const { signal } = stopper.current
    setCount(0)
    try {
      const rows = await readAll({ signal, onCount: setCount })
      return signal.aborted ? null : rows
    } finally {
      setCount(null)
    }
  }
  return { count, walk, stop: () => stopper.current.abort() }
}
