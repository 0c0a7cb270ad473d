/** What narrows a list down, which columns it shows, and the way out into a file. */
import { useEffect, useState } from 'react'
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { FilledColumn } from './list-column.ts'
import { ListExport } from './list-export.tsx'
import { cleared, isFiltered, shownOf, sortOf } from './list-state.ts'
import type { ListViewProps } from './list-view.tsx'
import type { ListControl } from './use-list-state.ts'

/** Long enough for a word, short enough to seem immediate. */
const TYPING_MS = 250

export function ListToolbar<Row extends object>(props: ListViewProps<Row>) {
  const { columns, control, hasSearch, searchLabel, sortable } = props
  const { t } = useTranslation()
  const filtered = columns.filter(({ filter }) => filter !== undefined)
  return (
    <div className="list-tools" role="search" aria-label={props.caption}>
      {hasSearch ? (
        <TypedFilter
          label={searchLabel ?? t('list.search')}
          value={control.state.text}
          onChange={(text) => control.change({ text }, true)}
          isSearch
        />
      ) : null}
      {filtered.map((column) => (
        <FilterOf key={column.id} column={column} control={control} />
      ))}
      {isFiltered(control.state) ? (
        <Button className="plain" onPress={() => control.change(cleared(control.state))}>
          {t('list.clear')}
        </Button>
      ) : null}
      <span className="list-rest">
        {sortable.length === 0 ? null : <SortChoice {...props} />}
        <ColumnChooser columns={columns} control={control} />
        <ListExport
          columns={columns}
          fileName={props.fileName ?? 'list'}
          readAll={props.shown.readAll}
        />
      </span>
    </div>
  )
}

interface TypedFilterProps {
  label: string
  value: string
  onChange: (text: string) => void
  isSearch?: boolean
}

/** Shown as it is typed; the list follows when the typing rests. */
function TypedFilter({ label, value, onChange, isSearch = false }: TypedFilterProps) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onChange(typed), TYPING_MS)
    return () => clearTimeout(timer)
    // Only typing starts the wait: a list that is read again must not restart it.
  }, [typed])
  return (
    <input
      type="search"
      className={isSearch ? 'list-search' : ''}
      aria-label={label}
      placeholder={label}
      value={typed}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}

function FilterOf<Row>({ column, control }: { column: FilledColumn<Row>; control: ListControl }) {
  const { id, label, filter } = column
  const asked = control.state.filters[id] ?? ''
  const set = (value: string, isTyping = false): void =>
    control.change({ filters: { [id]: value } }, isTyping)
  if (filter?.kind === 'text') {
    return <TypedFilter label={label} value={asked} onChange={(value) => set(value, true)} />
  }
  if (filter?.kind === 'time') return <SpanFilter label={label} asked={asked} onChange={set} />
  return (
    <select
      aria-label={label}
      className={asked === '' ? '' : 'asked'}
      value={asked}
      onChange={(event) => set(event.target.value)}
    >
      <AllOption label={label} />
      {filter?.choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  )
}

function AllOption({ label }: { label: string }) {
  const { t } = useTranslation()
  return <option value="">{t('list.all', { label })}</option>
}

function SpanFilter(props: { label: string; asked: string; onChange: (asked: string) => void }) {
  const { label, asked, onChange } = props
  const { t } = useTranslation()
  const [from = '', to = ''] = asked.split('..')
  const set = (days: readonly [string, string]): void =>
    onChange(days.every((day) => day === '') ? '' : days.join('..'))
  return (
    <fieldset className="list-span">
      <legend className="unseen">{label}</legend>
      <span aria-hidden="true">{label}</span>
      <input
        type="date"
        aria-label={t('list.from')}
        value={from}
        onChange={(event) => set([event.target.value, to])}
      />
      <span aria-hidden="true">–</span>
      <input
        type="date"
        aria-label={t('list.to')}
        value={to}
        onChange={(event) => set([from, event.target.value])}
      />
    </fieldset>
  )
}

/** Where rows are cards there are no headings to press. */
function SortChoice<Row>({ columns, control, sortable }: ListViewProps<Row>) {
  const { t } = useTranslation()
  const sorted = sortOf(control.state.sort)
  return (
    <span className="list-sort">
      <select
        aria-label={t('list.sort')}
        value={sorted?.id ?? ''}
        onChange={(event) => control.change({ sort: event.target.value })}
      >
        <option value="">{t('list.sort')}</option>
        {columns
          .filter(({ id }) => sortable.includes(id))
          .map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
      </select>
      {sorted === null ? null : (
        <Button
          aria-label={t(sorted.isDescending ? 'list.descending' : 'list.ascending')}
          onPress={() =>
            control.change({ sort: sorted.isDescending ? sorted.id : `-${sorted.id}` })
          }
        >
          <span aria-hidden="true">{sorted.isDescending ? '▼' : '▲'}</span>
        </Button>
      )}
    </span>
  )
}

function ColumnChooser<Row>(props: {
  columns: readonly FilledColumn<Row>[]
  control: ListControl
}) {
  const { columns, control } = props
  const { t } = useTranslation()
  const shown = shownOf(columns, control.state.shown).map(({ id }) => id)
  const toggle = (id: string): void => {
    const isOff = shown.includes(id)
    const next = columns
      .map((column) => column.id)
      .filter((one) => (one === id ? !isOff : shown.includes(one)))
    if (next.length > 0) control.change({ shown: next }, true)
  }
  return (
    <DialogTrigger>
      <Button>{t('list.columns')}</Button>
      <Popover className="popover">
        <Dialog aria-label={t('list.columns')}>
          {columns.map(({ id, label }) => (
            <label key={id}>
              <input type="checkbox" checked={shown.includes(id)} onChange={() => toggle(id)} />
              {label}
            </label>
          ))}
          <Button
            isDisabled={control.state.shown === null}
            onPress={() => control.change({ shown: null }, true)}
          >
            {t('list.usual')}
          </Button>
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}
