import type { BatchView } from '@minga/protocol'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Checkbox, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Select } from '../../components/choice.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { BatchMark, BatchProgress } from '../../components/batch-progress.tsx'
import { BusyButton } from '../../components/busy-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import type { BulkAction } from '../../components/list/list-bulk.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { sortedPages } from '../../components/list/sorted-pages.ts'
import { useChange } from '../../components/use-change.ts'
import { permitted } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { batchAsked, EMPTY_BATCH, PRIORITIES } from './batch-form.ts'

const BATCH_STATES = [
  'filling',
  'running',
  'ended',
  'cancelled',
] as const satisfies readonly BatchView['state'][]

const EVERY_MS = 3_000

export const RequestsScreen = permitted('requests:read', 'batch.title', Requests)

function Requests() {
  const { t } = useTranslation()
  const { may } = useMe()
  const columns = useColumns()
  return (
    <>
      <h1>{t('batch.title')}</h1>
      <Restrictions />
      {may('requests:send') ? <NewBatch /> : null}
      <ListCard
        caption={t('batch.list')}
        columns={columns}
        fileName="requests"
        empty={<EmptyState title={t('batch.none')} text={t('batch.urlsHelp')} />}
        searchLabel={t('batch.search')}
        firstSort="-createdAt"
        bulkActions={useBulk()}
        pages={{
          key: ['batches'],
          everyMs: EVERY_MS,
          read: sortedPages((query) => station('GET /batches/page', { query }), 'createdAt'),
        }}
      />
    </>
  )
}

function useBulk(): BulkAction<BatchView>[] {
  const { t } = useTranslation()
  const { may } = useMe()
  if (!may('requests:send')) return []
  return [
    {
      label: t('batch.cancel'),
      act: ({ id }) => station('POST /batches/{id}/cancel', { params: { id }, body: {} }),
      isFor: ({ state }) => state === 'running' || state === 'filling',
      isDanger: true,
      confirm: {
        title: (count) => t('batch.cancelMany', { count }),
        text: t('batch.cancelText'),
        yes: t('batch.cancel'),
      },
      touched: ['batches'],
    },
  ]
}

/** Says why before a request is refused. */
function Restrictions() {
  const { t } = useTranslation()
  const { data } = useStation(['restrictions'], 'GET /abuse/own')
  if (data === undefined || data.restrictions.length === 0) return null
  return (
    <aside className="banner error" aria-label={t('batch.restricted')}>
      <b>{t('batch.restricted')}</b>
      {data.restrictions.map(({ id, reason }) => (
        <p key={id}>
          <span lang="en">{reason}</span> <code>{id}</code>
        </p>
      ))}
    </aside>
  )
}

function useColumns(): ListColumn<BatchView>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'id',
      label: t('batch.batch'),
      isAddress: true,
      canSort: true,
      cell: ({ id }) => (
        <Link to="/requests/$id" params={{ id }}>
          {id}
        </Link>
      ),
    },
    {
      id: 'state',
      label: t('device.stateLabel'),
      canSort: true,
      cell: (batch) => <BatchMark batch={batch} />,
      filter: choiceOf(BATCH_STATES, (state) => t(`batch.state.${state}`)),
    },
    {
      id: 'progress',
      label: t('batch.progressLabel'),
      cell: (batch) => <BatchProgress batch={batch} />,
      value: ({ total, open }) => total - open,
    },
    { id: 'captured', label: t('outcome.captured'), as: 'count', canSort: true },
    { id: 'failed', label: t('outcome.failed'), as: 'count', canSort: true },
    { id: 'denied', label: t('outcome.denied'), as: 'count', canSort: true },
    { id: 'bytes', label: t('figure.bytes'), as: 'bytes', canSort: true },
    {
      id: 'createdAt',
      label: t('captures.when'),
      as: 'ago',
      isNumber: true,
      canSort: true,
      filter: { kind: 'time' },
    },
  ]
}

function NewBatch() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [form, setForm] = useState(EMPTY_BATCH)
  const submit = useChange(
    async (asked: NonNullable<ReturnType<typeof batchAsked>>) => {
      const { id } = await station('POST /batches', { body: asked })
      await navigate({ to: '/requests/$id', params: { id } })
    },
    ['batches'],
  )
  const asked = batchAsked(form)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (asked !== null) submit.mutate(asked)
  }
  return (
    <section className="card">
      <h2>{t('batch.new')}</h2>
      <Form onSubmit={send} validationBehavior="aria" className="form">
        <Field
          label={t('batch.urls')}
          value={form.urls}
          onChange={(urls) => setForm({ ...form, urls })}
          rows={4}
          help={t('batch.urlsHelp')}
          placeholder="https://example.org/"
        />
        <Select
          label={t('batch.priority')}
          value={form.priority}
          onChange={(chosen) => setForm({ ...form, priority: chosen })}
          options={PRIORITIES.map((priority) => [priority, t(`batch.priorities.${priority}`)])}
        />
        <Checkbox isSelected={form.isFresh} onChange={(isFresh) => setForm({ ...form, isFresh })}>
          <span className="box" aria-hidden="true" />
          {t('batch.fresh')}
        </Checkbox>
        <Failure error={submit.error} />
        <div className="actions">
          <BusyButton isPrimary isBusy={submit.isPending} isDisabled={asked === null}>
            {t('batch.send')}
          </BusyButton>
        </div>
      </Form>
    </section>
  )
}
