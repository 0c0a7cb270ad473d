/** How far a collection goes: shown, changed while it runs, and taken back. */
import type { CollectionTrailView } from '@minga/protocol'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import type { Collection } from '../../api/api-types.ts'
import { Ago } from '../../components/ago.tsx'
import { Failure } from '../../components/failure.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { CollectionEdit } from './collection-edit.tsx'
import { TOUCHED } from './leave-out-button.tsx'

export function CollectionSettings({ collection }: { collection: Collection }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const [isOpen, setOpen] = useState(false)
  const mayChange = may('collections:write') && collection.spec.kind === 'crawl'
  return (
    <section className="card">
      <header className="heading-line">
        <h2>{t('edit.title')}</h2>
        {mayChange ? (
          <Button aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
            {t(isOpen ? 'close' : 'edit.open')}
          </Button>
        ) : null}
      </header>
      <SpecFigures collection={collection} />
      {isOpen ? <CollectionEdit collection={collection} onDone={() => setOpen(false)} /> : null}
      <Trail collection={collection} mayChange={mayChange} />
    </section>
  )
}

function SpecFigures({ collection: { spec } }: { collection: Collection }) {
  const { t } = useTranslation()
  const format = useFormat()
  const count = (value: number): string => format.count(value)
  const limit = (value: number | null, shown: (value: number) => string): string =>
    value === null ? t('edit.noLimit') : shown(value)
  return (
    <>
      <FiguresList
        figures={[
          { label: t('collection.scope'), value: t(`scopeShort.${spec.scope}`) },
          { label: t('form.maxPages'), value: limit(spec.maxPages, count) },
          {
            label: t('edit.maxBytes'),
            value: limit(spec.maxBytes, (bytes) => format.bytes(bytes)),
          },
          { label: t('form.maxDepth'), value: limit(spec.maxDepth, count) },
          { label: t('edit.maxTime'), value: limit(spec.maxTimeS, (s) => format.span(s * 1_000)) },
          { label: t('collection.delay'), value: format.delay(spec.delayMs) },
          { label: t('form.politeness'), value: t(`politeness.${spec.politeness}`) },
        ]}
      />
      <Patterns label={t('form.include')} patterns={spec.include} />
      <Patterns label={t('form.exclude')} patterns={spec.exclude} />
    </>
  )
}

function Patterns({ label, patterns }: { label: string; patterns: readonly string[] }) {
  if (patterns.length === 0) return null
  return (
    <p className="patterns">
      <span className="quiet">{label}:</span>{' '}
      {patterns.map((pattern) => (
        <code key={pattern}>{pattern}</code>
      ))}
    </p>
  )
}

function Trail({ collection: { id }, mayChange }: { collection: Collection; mayChange: boolean }) {
  const { t } = useTranslation()
  const { data = [] } = useStation(['trail', id], 'GET /collections/{id}/trail', { params: { id } })
  const undo = useChange(() => station('POST /collections/{id}/undo', { params: { id } }), TOUCHED)
  if (data.length === 0) return null
  const canUndo = mayChange && data.some(({ undoneAt }) => undoneAt === null)
  return (
    <>
      <h3>{t('edit.trail')}</h3>
      <ul className="trail">
        {data.map((entry) => (
          <TrailEntry key={entry.id} entry={entry} />
        ))}
      </ul>
      <Failure error={undo.error} />
      {canUndo ? (
        <Button isDisabled={undo.isPending} onPress={() => undo.mutate(undefined)}>
          {t('edit.undo')}
        </Button>
      ) : null}
    </>
  )
}

function TrailEntry({ entry }: { entry: CollectionTrailView }) {
  const { t } = useTranslation()
  const { at, by, before, after, undoneAt, undoneBy } = entry
  return (
    <li className={undoneAt === null ? '' : 'undone'}>
      <span className="quiet">
        <Ago at={at} /> · {by}
      </span>{' '}
      {Object.keys(after).map((name) => (
        <span key={name} className="changed">
          {t(`edit.field.${name}`)}: <code>{written(before[name])}</code> →{' '}
          <code>{written(after[name])}</code>
        </span>
      ))}
      {undoneAt === null ? null : (
        <span className="quiet"> {t('edit.undone', { by: undoneBy ?? '' })}</span>
      )}
    </li>
  )
}

function written(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.join(' ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
