/** One act on all chosen rows: how far it is, a way to stop it, and what became of it. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type RefObject } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { ConfirmButton } from '../confirm-button.tsx'
import { tell } from '../frame/toast-store.ts'
import { useFormat } from '../use-format.ts'
import { useWalk } from './list-export.tsx'
import { BulkOutcomeView, useOutcomeText } from './list-bulk-outcome.tsx'
import type { Selection } from './list-selection.ts'
import type { ShownRows } from './list-view.tsx'
import { runBulk, type BulkOutcome } from './run-bulk.ts'

export interface BulkAction<Row> {
  label: string
  act: (row: Row) => Promise<unknown>
  /** Rows it makes no sense for are passed over. */
  isFor?: (row: Row) => boolean
  isDanger?: boolean
  /** Asks first. */
  confirm?: { title: (count: number) => string; text: string; yes: string }
  /** First words of what is read again afterwards. */
  touched: readonly string[]
}

interface BulkBarProps<Row> {
  actions: readonly BulkAction<Row>[]
  selection: Selection<Row>
  shown: ShownRows<Row>
  keyOf: (row: Row) => string | number
}

export function BulkBar<Row>({ actions, selection, shown, keyOf }: BulkBarProps<Row>) {
  const { t } = useTranslation()
  const { outcome, progress, run, stop, forget } = useBulk(selection)
  const count = selection.chosen.size
  if (count === 0 && outcome === null) return null
  return (
    <div className="list-bulk" role="region" aria-label={t('list.bulk')}>
      {outcome === null ? null : <BulkOutcomeView outcome={outcome} keyOf={keyOf} />}
      {progress === null ? null : <Running progress={progress} onStop={stop} />}
      {count === 0 || progress !== null ? null : (
        <Chosen actions={actions} selection={selection} shown={shown} onRun={run} />
      )}
      {progress === null ? (
        <Button className="plain" onPress={forget}>
          {t(count === 0 ? 'close' : 'list.unchoose')}
        </Button>
      ) : null}
    </div>
  )
}

interface Progress {
  begun: number
  total: number
  isStopping: boolean
}

function Running({ progress, onStop }: { progress: Progress; onStop: () => void }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { begun, total, isStopping } = progress
  const said = t('list.doing', { number: format.count(begun), total: format.count(total) })
  return (
    <>
      <progress max={total} value={begun} aria-label={said} />
      <b>{said}</b>
      <Button isDisabled={isStopping} onPress={onStop}>
        {t(isStopping ? 'list.stopping' : 'list.stop')}
      </Button>
    </>
  )
}

interface ChosenProps<Row> extends Omit<BulkBarProps<Row>, 'keyOf'> {
  onRun: (action: BulkAction<Row>) => void
}

function Chosen<Row>({ actions, selection, shown, onRun }: ChosenProps<Row>) {
  const { t } = useTranslation()
  const format = useFormat()
  const count = selection.chosen.size
  return (
    <>
      <b role="status">{t('list.chosen', { count, number: format.count(count) })}</b>
      <AllMatching selection={selection} shown={shown} />
      {actions.map((action) => (
        <ActButton key={action.label} action={action} selection={selection} onRun={onRun} />
      ))}
    </>
  )
}

interface ActButtonProps<Row> {
  action: BulkAction<Row>
  selection: Selection<Row>
  onRun: (action: BulkAction<Row>) => void
}

function ActButton<Row>({ action, selection, onRun }: ActButtonProps<Row>) {
  const { label, confirm, isDanger = false, isFor } = action
  const fitting = [...selection.chosen.values()].filter((row) => isFor?.(row) ?? true).length
  const isDisabled = fitting === 0
  if (confirm === undefined) {
    return (
      <Button isDisabled={isDisabled} onPress={() => onRun(action)}>
        {label}
      </Button>
    )
  }
  return (
    <ConfirmButton
      label={label}
      title={confirm.title(fitting)}
      text={confirm.text}
      yes={confirm.yes}
      isDanger={isDanger}
      isDisabled={isDisabled}
      onConfirm={() => onRun(action)}
    />
  )
}

/** More match than are read or chosen: they are fetched before they can be chosen. */
function AllMatching<Row>({ selection, shown }: Pick<BulkBarProps<Row>, 'selection' | 'shown'>) {
  const { t } = useTranslation()
  const format = useFormat()
  const { count, walk, stop } = useWalk()
  const isAll = !shown.hasMore && selection.chosen.size >= (shown.rows?.length ?? 0)
  if (isAll) return null
  if (count !== null) {
    return (
      <span className="list-walk">
        {t('list.walked', { number: format.count(count) })}
        <Button onPress={stop}>{t('list.stop')}</Button>
      </span>
    )
  }
  const choose = async (): Promise<void> => {
    const rows = await walk(shown.readAll).catch(() => null)
    if (rows !== null) selection.put(rows)
  }
  return (
    <Button className="plain" onPress={() => void choose()}>
      {shown.total === null
        ? t('list.chooseMatching')
        : t('list.chooseAllMatching', { number: format.count(shown.total) })}
    </Button>
  )
}

/** Whether the user left the screen: the action continues, and a message reports its end wherever they are. */
function useGone(): RefObject<boolean> {
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])
  return isGone
}

function useBulk<Row>(selection: Selection<Row>) {
  const queries = useQueryClient()
  const [outcome, setOutcome] = useState<BulkOutcome<Row> | null>(null)
  const [progress, setProgress] = useState<Progress | null>(null)
  const stopper = useRef(new AbortController())
  const isGone = useGone()
  const outcomeText = useOutcomeText()
  const run = async (action: BulkAction<Row>): Promise<void> => {
    const rows = [...selection.chosen.values()].filter((row) => action.isFor?.(row) ?? true)
    stopper.current = new AbortController()
    const { signal } = stopper.current
    const total = rows.length
    setOutcome(null)
    setProgress({ begun: 0, total, isStopping: false })
    const ended = await runBulk(rows, {
      act: action.act,
      signal,
      onBegun: (begun) => setProgress({ begun, total, isStopping: signal.aborted }),
    })
    setProgress(null)
    setOutcome(ended)
    if (isGone.current) tell(outcomeText(ended), ended.failed.length === 0 ? 'news' : 'failure')
    // What was not done stays chosen: the same act continues with it.
    selection.clear()
    selection.put([...ended.failed.map(({ row }) => row), ...ended.undone])
    await Promise.all(action.touched.map((name) => queries.invalidateQueries({ queryKey: [name] })))
  }
  return {
    outcome,
    progress,
    run: (action: BulkAction<Row>) => void run(action),
    stop: () => {
      stopper.current.abort()
      setProgress((former) => former && { ...former, isStopping: true })
    },
    forget: () => {
      setOutcome(null)
      selection.clear()
    },
  }
}
