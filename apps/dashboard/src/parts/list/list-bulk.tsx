/** One act on all chosen rows. Each row is its own call: what fails is named, the rest is done. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { ConfirmButton } from '../confirm-button.tsx'
import { useFormat } from '../use-format.ts'
import { useWalk } from './list-export.tsx'
import type { Selection } from './list-selection.ts'
import type { ShownRows } from './list-view.tsx'

export interface BulkAction<Row> {
  label: string
  act: (row: Row) => Promise<unknown>
  /** Rows it makes no sense for are passed over. */
  isFor?: (row: Row) => boolean
  isDanger?: boolean
  /** Asks first. */
  confirm?: { title: (count: number) => string; text: string; yes: string }
  /** First words of what is read anew afterwards. */
  touched: readonly string[]
}

interface BulkBarProps<Row> {
  actions: readonly BulkAction<Row>[]
  selection: Selection<Row>
  shown: ShownRows<Row>
}

interface Outcome {
  done: number
  failed: string[]
}

export function BulkBar<Row>({ actions, selection, shown }: BulkBarProps<Row>) {
  const { t } = useTranslation()
  const format = useFormat()
  const { outcome, left, run } = useBulk(selection)
  const count = selection.chosen.size
  if (count === 0 && outcome === null) return null
  return (
    <div className="list-bulk" role="region" aria-label={t('list.bulk')}>
      <b role="status">
        {outcome === null
          ? t('list.chosen', { count, number: format.count(count) })
          : t('list.bulkDone', { count: outcome.done, number: format.count(outcome.done) })}
      </b>
      {left === null ? null : <span>{t('list.left', { number: format.count(left) })}</span>}
      {count === 0 || left !== null ? null : (
        <>
          <AllMatching selection={selection} shown={shown} />
          {actions.map((action) => (
            <ActButton key={action.label} action={action} selection={selection} onRun={run} />
          ))}
        </>
      )}
      <Button className="plain" isDisabled={left !== null} onPress={() => run(null)}>
        {t(count === 0 ? 'close' : 'list.unchoose')}
      </Button>
      {outcome === null || outcome.failed.length === 0 ? null : (
        <p className="banner error" role="alert">
          {t('list.bulkFailed', { count: outcome.failed.length })} {outcome.failed[0]}
        </p>
      )}
    </div>
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
function AllMatching<Row>({ selection, shown }: Omit<BulkBarProps<Row>, 'actions'>) {
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
      {t('list.chooseMatching')}
    </Button>
  )
}

function useBulk<Row>(selection: Selection<Row>) {
  const queries = useQueryClient()
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [left, setLeft] = useState<number | null>(null)
  const act = async (action: BulkAction<Row>): Promise<void> => {
    const rows = [...selection.chosen.values()].filter((row) => action.isFor?.(row) ?? true)
    const failed: string[] = []
    for (const [i, row] of rows.entries()) {
      setLeft(rows.length - i)
      // One after another: an act on a thousand rows is no reason to press the station.
      await action.act(row).catch((error: unknown) => failed.push((error as Error).message))
    }
    setLeft(null)
    setOutcome({ done: rows.length - failed.length, failed })
    selection.clear()
    await Promise.all(action.touched.map((name) => queries.invalidateQueries({ queryKey: [name] })))
  }
  const run = (action: BulkAction<Row> | null): void => {
    setOutcome(null)
    if (action === null) selection.clear()
    else void act(action)
  }
  return { outcome, left, run }
}
