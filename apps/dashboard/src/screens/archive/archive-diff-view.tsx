/** A comparison to read: its reader chooses how, and goes from change to change by key. */
import { useEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { DiffBlockView } from '@minga/protocol'
import { useFormat } from '../../components/use-format.ts'
import {
  changeAfter,
  diffRows,
  type DiffRow,
  type DiffRun,
  type DiffUnit,
  type FoldedRows,
} from './archive-diff-rows.ts'

type Layout = 'side' | 'inline'

export function DiffView({ blocks }: { blocks: readonly DiffBlockView[] }) {
  const [layout, setLayout] = useState<Layout>('side')
  const [unit, setUnit] = useState<DiffUnit>('word')
  const [isOnlyChanges, setIsOnlyChanges] = useState(true)
  const rows = diffRows(blocks, { unit, isOnlyChanges })
  const count = blocks.filter(({ kind, isIgnored }) => kind !== 'same' && !isIgnored).length
  const { box, current, step } = useSteps(count)
  return (
    <>
      <div className="diff-tools">
        <Choice name="layout" values={['side', 'inline']} value={layout} onChange={setLayout} />
        <Choice name="unit" values={['word', 'line']} value={unit} onChange={setUnit} />
        <OnlyChanges isOn={isOnlyChanges} onChange={setIsOnlyChanges} />
        <Steps count={count} current={current} onStep={step} />
      </div>
      <div ref={box}>
        {layout === 'side' ? (
          <SideBySide rows={rows} current={current} />
        ) : (
          <Inline rows={rows} current={current} />
        )}
      </div>
    </>
  )
}

interface ChoiceProps<Value extends string> {
  name: 'layout' | 'unit'
  values: readonly Value[]
  value: Value
  onChange: (value: Value) => void
}

function Choice<Value extends Layout | DiffUnit>(props: ChoiceProps<Value>) {
  const { t } = useTranslation()
  const { name, values, value, onChange } = props
  return (
    <label className="choice">
      <b>{t(`archive.diffTool.${name}`)}</b>
      <select value={value} onChange={(event) => onChange(event.target.value as Value)}>
        {values.map((one: Layout | DiffUnit) => (
          <option key={one} value={one}>
            {t(`archive.diffChoice.${one}`)}
          </option>
        ))}
      </select>
    </label>
  )
}

function OnlyChanges({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  const { t } = useTranslation()
  return (
    <label>
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />{' '}
      {t('archive.onlyChanges')}
    </label>
  )
}

interface StepsProps {
  count: number
  current: number | null
  onStep: (step: 1 | -1) => void
}

function Steps({ count, current, onStep }: StepsProps) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <span className="diff-steps">
      <Button onPress={() => onStep(-1)} aria-keyshortcuts="p">
        {t('archive.previousChange')} <kbd aria-hidden="true">p</kbd>
      </Button>
      <Button onPress={() => onStep(1)} aria-keyshortcuts="n">
        {t('archive.nextChange')} <kbd aria-hidden="true">n</kbd>
      </Button>
      <span role="status" className="quiet">
        {current === null
          ? t('archive.changeCount', { count, number: format.count(count) })
          : t('archive.changeOf', {
              number: format.count(current + 1),
              count: format.count(count),
            })}
      </span>
    </span>
  )
}

/** The selected change, and keys that move to the next or previous one: `n` and `p`, except while the user types. */
function useSteps(count: number) {
  const box = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState<number | null>(null)
  const step = (by: 1 | -1): void => {
    const next = changeAfter(current, by, count)
    setCurrent(next)
    const row = box.current?.querySelector<HTMLElement>(`[data-change="${next}"]`)
    row?.scrollIntoView({ block: 'center' })
    row?.focus({ preventScroll: true })
  }
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test((event.target as HTMLElement).tagName)
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'n') step(1)
      if (event.key === 'p') step(-1)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  })
  return { box, current, step }
}

interface RowsProps {
  rows: readonly (DiffRow | FoldedRows)[]
  current: number | null
}

function SideBySide({ rows, current }: RowsProps) {
  const { t } = useTranslation()
  return (
    <table className="diff">
      <caption className="unseen">{t('archive.diffTitle')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('archive.what')}</th>
          <th scope="col">{t('archive.before')}</th>
          <th scope="col">{t('archive.after')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) =>
          row.kind === 'folded' ? (
            <tr key={i} className="folded">
              <td colSpan={3}>{t('archive.folded', { count: row.count })}</td>
            </tr>
          ) : (
            <tr key={i} {...markOf(row, current)}>
              <th scope="row">{t(labelOf(row))}</th>
              <td data-label={t('archive.before')}>
                <Runs runs={row.before} />
              </td>
              <td data-label={t('archive.after')}>
                <Runs runs={row.after} />
              </td>
            </tr>
          ),
        )}
      </tbody>
    </table>
  )
}

function Inline({ rows, current }: RowsProps) {
  const { t } = useTranslation()
  return (
    <div className="diff inline-diff">
      {rows.map((row, i) =>
        row.kind === 'folded' ? (
          <p key={i} className="folded">
            {t('archive.folded', { count: row.count })}
          </p>
        ) : (
          <p key={i} {...markOf(row, current)}>
            {row.kind === 'same' ? null : <b className="block-kind">{t(labelOf(row))}</b>}{' '}
            <Runs runs={row.inline} />
          </p>
        ),
      )}
    </div>
  )
}

function labelOf({ kind, isIgnored }: DiffRow) {
  return isIgnored ? ('archive.block.ignored' as const) : (`archive.block.${kind}` as const)
}

function markOf({ change, kind, isIgnored }: DiffRow, current: number | null) {
  if (isIgnored) return { className: 'ignored' }
  if (change === null) return { className: 'same' }
  const isCurrent = change === current
  return {
    className: isCurrent ? `${kind} current` : kind,
    'data-change': change,
    tabIndex: -1,
    'aria-current': isCurrent ? ('true' as const) : undefined,
  }
}

function Runs({ runs }: { runs: readonly DiffRun[] }) {
  return runs.map(({ kind, text }, i) => {
    if (kind === 'added') return <ins key={i}>{text} </ins>
    return kind === 'removed' ? <del key={i}>{text} </del> : <span key={i}>{text} </span>
  })
}
