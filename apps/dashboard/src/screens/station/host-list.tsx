/** Hosts that an operator denied, and exceptions from what is denied otherwise. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState, useMemo } from 'react'
import { Button, Label, Radio, RadioGroup } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { ChangeForm } from '../../components/change-form.tsx'
import { actLater } from '../../components/frame/toast-store.ts'
import { station } from '../../api/station.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Field } from '../../components/field.tsx'
import type { BulkAction } from '../../components/list/list-bulk.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { sortedPages } from '../../components/list/sorted-pages.ts'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import { useMe } from '../../auth/use-me.ts'
import type { HostRule } from '../../api/station-api.ts'

interface HostDecision {
  hosts: string[]
  action: 'deny' | 'allow'
  reason: string
}

export function HostList() {
  const { t } = useTranslation()
  const { may } = useMe()
  const undo = useUndo()
  const columns = useColumns((pattern) =>
    undo.act({
      text: t('deny.forgotten', { host: pattern }),
      key: pattern,
      act: () => station('POST /abuse/hosts/forget', { body: { hosts: [pattern] } }),
      touched: ['host-rules'],
    }),
  )
  const isLeaving = useCallback(({ pattern }: HostRule) => undo.isLeaving(pattern), [undo])
  const forgetAll: BulkAction<HostRule> = {
    label: t('deny.forget'),
    act: ({ pattern }) => station('POST /abuse/hosts/forget', { body: { hosts: [pattern] } }),
    isDanger: true,
    confirm: {
      title: (count) => t('deny.forgetAllTitle', { count }),
      text: t('deny.forgetText'),
      yes: t('deny.forget'),
    },
    touched: ['host-rules'],
  }
  return (
    <ListCard
      name="hosts"
      caption={t('deny.title')}
      lead={t('deny.lead')}
      columns={columns}
      keyOf={({ pattern }) => pattern}
      searchLabel={t('deny.search')}
      isLeaving={isLeaving}
      pages={{
        key: ['host-rules'],
        read: sortedPages((query) => station('GET /abuse/hosts/page', { query }), 'since'),
      }}
      fileName="denied-hosts"
      empty={<EmptyState title={t('deny.none')} />}
      {...(may('abuse:write') ? { bulkActions: [forgetAll] } : {})}
    >
      {may('abuse:write') ? <NewRule /> : null}
    </ListCard>
  )
}

function useColumns(onForget: (pattern: string) => void): ListColumn<HostRule>[] {
  const { t } = useTranslation()
  const { may } = useMe()
  const stateOf = ({ effect }: HostRule): string =>
    t(effect === 'exempt' ? 'deny.allowed' : 'deny.denied')
  const columns: ListColumn<HostRule>[] = [
    {
      id: 'host',
      label: t('hosts.host'),
      as: 'code',
      value: ({ pattern }) => pattern,
      isAddress: true,
      canSort: true,
    },
    {
      id: 'effect',
      label: t('device.stateLabel'),
      canSort: true,
      filter: {
        kind: 'choice',
        choices: [
          { value: 'close', label: t('deny.denied') },
          { value: 'exempt', label: t('deny.allowed') },
        ],
      },
      cell: (rule) => (
        <StatusBadge kind={rule.effect === 'exempt' ? 'good' : 'bad'} text={stateOf(rule)} />
      ),
      value: stateOf,
    },
    { id: 'reason', label: t('config.why'), as: 'text', isAddress: true, canSort: true },
    { id: 'madeBy', label: t('config.who'), as: 'text', isAddress: true, canSort: true },
    {
      id: 'since',
      label: t('account.since'),
      as: 'moment',
      canSort: true,
      filter: { kind: 'time' },
    },
  ]
  if (!may('abuse:write')) return columns
  return [
    ...columns,
    {
      id: 'change',
      label: t('join.change'),
      content: ({ pattern }) => (
        <Button onPress={() => onForget(pattern)}>{t('deny.forget')}</Button>
      ),
    },
  ]
}

function NewRule() {
  const { t } = useTranslation()
  const [host, setHost] = useState('')
  const [reason, setReason] = useState('')
  const [action, setAction] = useState<HostDecision['action']>('deny')
  const decide = useChange(async () => {
    await station('POST /abuse/hosts', {
      body: { hosts: [host.trim()], action, reason: reason.trim() },
    })
    setHost('')
    setReason('')
  }, ['host-rules'])
  const isComplete = host.trim() !== '' && reason.trim() !== ''
  return (
    <ChangeForm
      change={decide}
      isFilled={isComplete}
      label={t('save')}
      isPrimary
      isWaiting
      isInline
    >
      <Field label={t('hosts.host')} value={host} onChange={setHost} placeholder="*.example.org" />
      <Field label={t('config.why')} value={reason} onChange={setReason} />
      <RadioGroup
        className="radios across"
        value={action}
        onChange={(chosen) => setAction(chosen as HostDecision['action'])}
      >
        <Label className="unseen">{t('join.change')}</Label>
        <Radio value="deny">{t('deny.deny')}</Radio>
        <Radio value="allow">{t('deny.allow')}</Radio>
      </RadioGroup>
    </ChangeForm>
  )
}

interface UndoableAct {
  /** What was done, as the toast says it: "Watch removed". */
  text: string
  /** Which row it is about: hidden at once, back when it is undone. */
  key: string | number
  act: () => Promise<unknown>
  /** First words of what is read again afterwards. */
  touched: readonly string[]
}

interface Undo {
  act: (act: UndoableAct) => void
  /** Whether this row is on its way out. */
  isLeaving: (key: string | number) => boolean
}

/** Acts with a way back, instead of a question before each. */
function useUndo(): Undo {
  const queries = useQueryClient()
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set())
  return useMemo(
    () => ({
      act: ({ text, key, act, touched }) => {
        setLeaving((former) => new Set([...former, String(key)]))
        actLater({
          text,
          act,
          settled: () =>
            void Promise.all(
              touched.map((name) => queries.invalidateQueries({ queryKey: [name] })),
            ).finally(() =>
              setLeaving((former) => new Set([...former].filter((one) => one !== String(key)))),
            ),
        })
      },
      isLeaving: (key) => leaving.has(String(key)),
    }),
    [queries, leaving],
  )
}
