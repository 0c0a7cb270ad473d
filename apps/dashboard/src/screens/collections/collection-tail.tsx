/** Captures of a collection as they arrive; the user can pause, filter and download them. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import type { Capture, Collection } from '../../api/api-types.ts'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { useMe } from '../../auth/use-me.ts'
import { LeaveOutButton } from './leave-out-button.tsx'
import { folderOf, patternOfFolder } from './leave-out.ts'
import { wordsOf } from './list-words.ts'

const EVERY_MS = 2_000
const ROWS = 25
const STATUSES = ['2', '3', '4', '5'] as const
const TYPES = ['text/html', 'text/css', 'image/', 'application/json', 'application/pdf'] as const

export function CollectionTail({ collection }: { collection: Collection }) {
  const { t } = useTranslation()
  const [isPaused, setPaused] = useState(false)
  const columns = useColumns(collection)
  const { id } = collection
  const isLive = collection.state === 'running' && !isPaused
  return (
    <>
      <header className="heading-line">
        <h2>{t('captures.title')}</h2>
        {collection.state === 'running' ? (
          <Button className="plain" onPress={() => setPaused(!isPaused)} aria-pressed={isPaused}>
            {t(isPaused ? 'tail.follow' : 'tail.pause')}
          </Button>
        ) : null}
      </header>
      <List
        name="captures"
        caption={t('captures.title')}
        columns={columns}
        keyOf={(capture) => capture.id}
        searchLabel={t('tail.search')}
        fileName={`collection-${id}-captures`}
        empty={<p className="quiet">{t('captures.none')}</p>}
        pages={{
          key: ['captures', id],
          limit: ROWS,
          ...(isLive ? { everyMs: EVERY_MS } : {}),
          read: (question) =>
            station('GET /collections/{id}/captures', {
              params: { id },
              query: wordsOf({ ...question, sort: '' }),
            }),
        }}
      />
    </>
  )
}

function useColumns(collection: Collection): ListColumn<Capture>[] {
  const { t } = useTranslation()
  const { may } = useMe()
  const mayChange = may('collections:write') && collection.spec.kind === 'crawl'
  return [
    {
      id: 'status',
      label: t('captures.status'),
      cell: ({ status }) => <span className={`http s${Math.floor(status / 100)}`}>{status}</span>,
      filter: choiceOf(STATUSES, (value) => `${value}xx`),
    },
    {
      id: 'url',
      label: t('captures.page'),
      isAddress: true,
      cell: (capture) => <Page capture={capture} id={collection.id} mayChange={mayChange} />,
    },
    {
      id: 'type',
      label: t('captures.type'),
      value: ({ mime }) => mime,
      cell: ({ kind, mime }) => (kind === 'revisit' ? t('captures.revisit') : mime),
      filter: choiceOf(TYPES, (value) => value),
    },
    { id: 'size', label: t('captures.size'), as: 'bytes', value: ({ length }) => length },
    { id: 'capturedAt', label: t('captures.when'), as: 'ago', isNumber: true },
  ]
}

interface PageProps {
  capture: Capture
  id: number
  mayChange: boolean
}

function Page({ capture: { url, title }, id, mayChange }: PageProps) {
  const { t } = useTranslation()
  const folder = folderOf(url)
  return (
    <>
      {title === null ? null : <b>{title}</b>}
      <span>
        <Link to="/archive/url" search={{ url }}>
          {url.replace(/^https?:\/\//, '')}
        </Link>
      </span>
      {mayChange && folder !== null ? (
        <span className="row-act">
          <LeaveOutButton
            id={id}
            pattern={patternOfFolder(folder)}
            label={t('leaveOut.folder')}
            title={t('leaveOut.folderTitle', { folder })}
          />
        </span>
      ) : null}
    </>
  )
}
