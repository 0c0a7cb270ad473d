import { Link } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { EventLevel, LoggedEvent } from '@minga/protocol'
import { queryOf } from '../../api/call.ts'
import { sentenceOf } from './event-sentence.ts'
import { station } from '../../api/station.ts'
import { DownloadLink } from '../../components/download-link.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { spanIn } from '../../components/list/list-match.ts'
import { useListState } from '../../components/list/use-list-state.ts'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useZone } from '../../components/use-zone.ts'
import { permitted } from '../../auth/require-permission.tsx'
import { CONTEXTS, LEVELS, questionOf, type EventQuestion } from './event-question.ts'
import { placeOf } from './event-subject.ts'
import { useEventTail, type EventTail } from './use-event-tail.ts'

const eventsFile = (question: EventQuestion, as: 'csv' | 'jsonl'): string =>
  `/event-log/export${queryOf({ ...question, as })}`

const KEY = ['event-log']

export const EventsScreen = permitted('events:read', 'events.title', Events)

function Events() {
  const { t } = useTranslation()
  const columns = useColumns()
  const question = useQuestion(columns)
  const tail = useEventTail(KEY, question)
  return (
    <>
      <header className="screen-head">
        <div>
          <h1>{t('events.title')}</h1>
          <p className="quiet">{t('events.lead')}</p>
        </div>
        <TailBar tail={tail} />
      </header>
      <section className="card">
        <List
          caption={t('events.title')}
          columns={columns}
          searchLabel={t('events.search')}
          fileName="events"
          rowClass={({ level }) => `event-${level}`}
          empty={<EmptyState title={t('events.none')} text={t('events.noneText')} />}
          pages={{
            key: KEY,
            read: async ({ cursor, limit, ...asked }) => {
              const page = { before: cursor, limit }
              const { events, next } = await station('GET /event-log', {
                query: { ...questionOf(asked), ...page },
              })
              return { rows: events, cursor: next === null ? null : String(next) }
            },
          }}
        />
      </section>
      <Files question={question} />
    </>
  )
}

/** What stands in the address, for the stream and the files; the list reads it by itself. */
function useQuestion(columns: readonly ListColumn<LoggedEvent>[]): EventQuestion {
  const { state } = useListState('', columns)
  const isUtc = useZone() === 'utc'
  const spans = { at: spanIn(state.filters['at'] ?? '', isUtc) }
  return questionOf({ ...state, spans })
}

function TailBar({ tail }: { tail: EventTail }) {
  const { t } = useTranslation()
  const { isPaused, isOpen, waiting } = tail
  const isStill = isPaused || waiting > 0
  return (
    <div className="tail-bar">
      <span role="status">
        {isStill ? (
          <StatusBadge kind="warn" text={t('events.paused', { count: waiting })} />
        ) : (
          <StatusBadge
            kind={isOpen ? 'good' : 'quiet'}
            text={t(isOpen ? 'events.following' : 'events.broken')}
          />
        )}
      </span>
      {isStill ? (
        <Button className="primary" onPress={tail.follow}>
          {t('events.follow')}
        </Button>
      ) : (
        <Button onPress={tail.pause}>{t('events.pause')}</Button>
      )}
    </div>
  )
}

const LEVEL_MARKS: Record<EventLevel, StatusKind> = {
  info: 'quiet',
  notice: 'info',
  warning: 'warn',
  error: 'bad',
}

function useColumns(): ListColumn<LoggedEvent>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const sentence = useEventSentence()
  return [
    { id: 'at', label: t('events.when'), as: 'ago', filter: { kind: 'time' }, width: '9rem' },
    {
      id: 'moment',
      label: t('events.moment'),
      isHidden: true,
      content: ({ at }) => format.moment(at),
    },
    {
      id: 'level',
      label: t('events.levelLabel'),
      cell: ({ level }) => (
        <StatusBadge kind={LEVEL_MARKS[level]} text={t(`events.level.${level}`)} />
      ),
      filter: choiceOf(LEVELS.slice(1), (value) => t(`events.from.${value}`)),
      width: '8rem',
    },
    {
      id: 'context',
      label: t('events.contextLabel'),
      cell: ({ context }) => t(`events.context.${context}`),
      filter: choiceOf(CONTEXTS, (value) => t(`events.context.${value}`)),
      width: '8rem',
    },
    {
      id: 'sentence',
      label: t('events.what'),
      isAddress: true,
      value: (event) => `${event.code}: ${sentence(event) ?? event.sentence}`,
      cell: (event) => <What event={event} />,
    },
    {
      id: 'subject',
      label: t('events.subject'),
      isAddress: true,
      cell: (event) => <Subject event={event} />,
      width: '14rem',
    },
    {
      id: 'by',
      label: t('events.by'),
      as: 'text',
      value: ({ byName, by }) => byName ?? by,
      width: '8rem',
    },
    {
      id: 'agent',
      label: t('events.agent'),
      as: 'text',
      value: ({ device }) => device,
      isHidden: true,
      isAddress: true,
      filter: { kind: 'text' },
    },
  ]
}

/** In the reader's language; of what the page does not know, as it stands in the log. */
function What({ event }: { event: LoggedEvent }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { code, times } = event
  const sentence = useEventSentence()(event)
  const name = t(`events.code.${code.replace(':', '-')}`, { defaultValue: code })
  return (
    <div className="event-what">
      <b>{name}</b>
      {times > 1 ? <> ×{format.count(times)}</> : null}
      {sentence === null ? <p lang="en">{event.sentence}</p> : <p>{sentence}</p>}
    </div>
  )
}

function Subject({ event }: { event: LoggedEvent }) {
  const { t } = useTranslation()
  const place = placeOf(event)
  if (event.subject === '') return t('figure.unknown')
  return place === null ? <>{event.subject}</> : <Link {...place}>{event.subject}</Link>
}

function Files({ question }: { question: EventQuestion }) {
  const { t } = useTranslation()
  return (
    <section className="card">
      <h2>{t('events.files')}</h2>
      <p className="quiet">{t('events.filesText')}</p>
      <div className="actions">
        <DownloadLink path={eventsFile(question, 'csv')} fileName="minga-events.csv">
          {t('events.csv')}
        </DownloadLink>
        <DownloadLink path={eventsFile(question, 'jsonl')} fileName="minga-events.jsonl">
          {t('events.jsonl')}
        </DownloadLink>
      </div>
      <p className="quiet events-printed">
        {t('events.printed')} <code>minga events --follow</code>
      </p>
    </section>
  )
}

/** What an event says in the language of the page; null when only the station's own sentence is there. */
function useEventSentence(): (event: LoggedEvent) => string | null {
  const { t, i18n } = useTranslation()
  const format = useFormat()
  const text = (key: string, count?: number): string | null => {
    const forms = count === undefined ? {} : { count }
    return i18n.exists(key, forms) ? t(key, { ...forms, skipInterpolation: true }) : null
  }
  return (event) => sentenceOf(event, { text, format })
}
