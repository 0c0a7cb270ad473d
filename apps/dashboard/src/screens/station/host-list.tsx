/** Hosts that an operator denied, and exceptions from what is denied otherwise. */
import { useState, type FormEvent } from 'react'
import { Button, Form, Label, Radio, RadioGroup } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { decideHosts, forgetHost, readHostRules, type HostDecision } from '../../api/abuse.ts'
import type { HostRuleView } from '@minga/protocol'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Mark } from '../../parts/mark.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useFormat } from '../../parts/use-format.ts'
import { usePages } from '../../parts/use-pages.ts'
import { useMe } from '../../people/use-me.ts'

const ROWS = 100

export function HostList() {
  const { t } = useTranslation()
  const { may } = useMe()
  const pages = usePages<HostRuleView, string>({
    key: ['host-rules'],
    rows: ROWS,
    read: readHostRules,
    cursorOf: ({ pattern }) => pattern,
  })
  const columns = useColumns()
  return (
    <section className="card">
      <h2>{t('deny.title')}</h2>
      <p className="quiet">{t('deny.lead')}</p>
      {may('abuse:write') ? <NewRule /> : null}
      <Loaded query={pages.query}>
        {(rules) =>
          rules.length === 0 ? (
            <p className="quiet">{t('deny.none')}</p>
          ) : (
            <DataTable
              caption={t('deny.title')}
              columns={columns}
              rows={rules}
              keyOf={({ pattern }) => pattern}
            />
          )
        }
      </Loaded>
      <MoreButton pages={pages} />
    </section>
  )
}

function useColumns(): Column<HostRuleView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const { may } = useMe()
  return [
    { label: t('hosts.host'), isAddress: true, cell: ({ pattern }) => <code>{pattern}</code> },
    {
      label: t('device.stateLabel'),
      cell: ({ effect }) => (
        <Mark
          kind={effect === 'exempt' ? 'good' : 'bad'}
          text={t(effect === 'exempt' ? 'deny.allowed' : 'deny.denied')}
        />
      ),
    },
    { label: t('config.why'), isAddress: true, cell: ({ reason }) => reason },
    { label: t('config.who'), isAddress: true, cell: ({ madeBy }) => madeBy },
    { label: t('account.since'), cell: ({ since }) => format.moment(since) },
    ...(may('abuse:write')
      ? [
          {
            label: t('join.change'),
            cell: ({ pattern }: HostRuleView) => <Forget pattern={pattern} />,
          },
        ]
      : []),
  ]
}

function Forget({ pattern }: { pattern: string }) {
  const { t } = useTranslation()
  const forget = useChange(() => forgetHost(pattern), ['host-rules'])
  return (
    <>
      <ConfirmButton
        label={t('deny.forget')}
        title={t('deny.forgetTitle', { host: pattern })}
        text={t('deny.forgetText')}
        yes={t('deny.forget')}
        onConfirm={() => forget.mutate(undefined)}
      />
      <Failure error={forget.error} />
    </>
  )
}

function NewRule() {
  const { t } = useTranslation()
  const [host, setHost] = useState('')
  const [reason, setReason] = useState('')
  const [action, setAction] = useState<HostDecision['action']>('deny')
  const decide = useChange(async () => {
    await decideHosts({ hosts: [host.trim()], action, reason: reason.trim() })
    setHost('')
    setReason('')
  }, ['host-rules'])
  const isComplete = host.trim() !== '' && reason.trim() !== ''
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (isComplete) decide.mutate(undefined)
  }
  return (
    <Form onSubmit={send} validationBehavior="aria" className="form inline">
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
      <Button type="submit" className="primary" isDisabled={!isComplete || decide.isPending}>
        {t('save')}
      </Button>
      <Failure error={decide.error} />
    </Form>
  )
}
