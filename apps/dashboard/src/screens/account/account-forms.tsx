/** What operators and owners do with an account: its roles, its money, a way back in. */
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { setRoles } from '../../api/people.ts'
import { ChangeForm } from '../../components/change-form.tsx'
import { CheckList } from '../../components/check-list.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { CopyBox } from '../../components/copy-box.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { limitIn, microsIn } from './amount.ts'
import { quotaFigures } from './money-screen.tsx'
import type { Account, Quota as QuotaView } from '../../api/station-api.ts'

/** As the station knows them, widest first. */
export const ROLES = ['operator', 'owner', 'collector', 'reader', 'client', 'volunteer'] as const

export function RolesForm({ account }: { account: Account }) {
  const { t } = useTranslation()
  const [roles, choose] = useState<string[]>([...account.roles])
  const change = useChange(() => setRoles(account.id, roles), ['accounts', 'me'])
  return (
    <>
      <CheckList
        label={t('account.roles')}
        options={ROLES.map((role) => ({ value: role, label: t(`role.${role}`) }))}
        chosen={roles}
        onChange={choose}
      />
      <Failure error={change.error} />
      <div className="actions">
        <Button isDisabled={change.isPending} onPress={() => change.mutate(undefined)}>
          {t('accounts.setRoles')}
        </Button>
        <span role="status" className="quiet">
          {change.isSuccess ? t('saved') : ''}
        </span>
      </div>
    </>
  )
}

export function BudgetForms({ account }: { account: Account }) {
  const { t } = useTranslation()
  const format = useFormat()
  const balance = useStation(['balance', 'client', account.id], 'GET /balance', {
    query: { as: 'client', account: account.id },
  })
  const quota = useStation(['quota', account.id], 'GET /quota', { query: { account: account.id } })
  return (
    <>
      <Loaded query={balance}>
        {({ balanceMicros }) => (
          <FiguresList
            figures={[
              { label: t('money.balance'), value: format.money(balanceMicros) },
              ...(quota.data === undefined ? [] : quotaFigures(quota.data, t, format)),
            ]}
          />
        )}
      </Loaded>
      <TopUp account={account} />
      <Loaded query={quota}>{(known) => <Quota account={account} quota={known} />}</Loaded>
    </>
  )
}

function TopUp({ account }: { account: Account }) {
  const { t } = useTranslation()
  const [amount, setAmount] = useState('')
  const [note, setNote] = useState('')
  const [wasSent, setWasSent] = useState(false)
  const micros = microsIn(amount)
  const pay = useChange(async () => {
    if (micros === null) return
    await station('POST /accounts/{id}/top-up', {
      params: { id: account.id },
      body: { micros, note: note.trim() === '' ? null : note.trim() },
    })
    setAmount('')
    setNote('')
    setWasSent(false)
  }, ['balance'])
  return (
    <ChangeForm
      change={pay}
      isFilled={micros !== null}
      label={t('accounts.topUp')}
      isInline
      onTry={() => setWasSent(true)}
    >
      <Field
        label={t('accounts.amount')}
        value={amount}
        onChange={setAmount}
        inputMode="decimal"
        isShort
        problem={wasSent && micros === null ? t('accounts.badAmount') : undefined}
      />
      <Field label={t('accounts.note')} value={note} onChange={setNote} />
    </ChangeForm>
  )
}

function Quota({ account, quota }: { account: Account; quota: QuotaView }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(String(quota.openMax ?? ''))
  const [day, setDay] = useState(String(quota.dayMax ?? ''))
  const [openMax, dayMax] = [limitIn(open), limitIn(day)]
  const change = useChange(async () => {
    if (openMax === undefined || dayMax === undefined) return
    await station('POST /accounts/{id}/quota', {
      params: { id: account.id },
      body: { openMax, dayMax },
    })
  }, ['quota'])
  const problemOf = (limit: number | null | undefined): string | undefined =>
    limit === undefined ? t('form.badNumber', { least: 0 }) : undefined
  return (
    <ChangeForm
      change={change}
      isFilled={openMax !== undefined && dayMax !== undefined}
      label={t('accounts.setQuota')}
      isInline
      more={<p className="quiet">{t('form.limitsHelp')}</p>}
    >
      <Field
        label={t('accounts.openMax')}
        value={open}
        onChange={setOpen}
        inputMode="numeric"
        isShort
        problem={problemOf(openMax)}
      />
      <Field
        label={t('accounts.dayMax')}
        value={day}
        onChange={setDay}
        inputMode="numeric"
        isShort
        problem={problemOf(dayMax)}
      />
    </ChangeForm>
  )
}

/** For who lost both the app and the recovery codes. */
export function FactorReset({ account }: { account: Account }) {
  const { t } = useTranslation()
  const reset = useChange(
    () => station('DELETE /accounts/{id}/second-factor', { params: { id: account.id } }),
    [],
  )
  return (
    <>
      <div className="actions">
        <ConfirmButton
          label={t('accounts.resetFactor')}
          title={t('accounts.resetFactorTitle', { name: account.name })}
          text={t('accounts.resetFactorText')}
          onConfirm={() => reset.mutate(undefined)}
        />
        <span role="status" className="quiet">
          {reset.isSuccess ? t('saved') : ''}
        </span>
      </div>
      <Failure error={reset.error} />
    </>
  )
}

/** For who cannot log in to do it themselves. */
export function AccountDeletion({ account }: { account: Account }) {
  const { t } = useTranslation()
  const remove = useChange(
    () => station('DELETE /accounts/{id}', { params: { id: account.id } }),
    ['accounts'],
  )
  return (
    <>
      <div className="actions">
        <ConfirmButton
          label={t('accounts.delete')}
          title={t('accounts.deleteTitle', { name: account.name })}
          text={t('accountEnd.deleteText')}
          onConfirm={() => remove.mutate(undefined)}
        />
      </div>
      <Failure error={remove.error} />
    </>
  )
}

export function ResetLink({ account }: { account: Account }) {
  const { t } = useTranslation()
  const format = useFormat()
  const make = useChange(() => station('POST /resets', { body: { account: account.id } }), [])
  return (
    <>
      <div className="actions">
        <Button isDisabled={make.isPending} onPress={() => make.mutate(undefined)}>
          {t('accounts.resetLink', { name: account.name })}
        </Button>
      </div>
      <Failure error={make.error} />
      {make.data === undefined ? null : (
        <>
          <CopyBox text={make.data.link} label={t('accounts.link')} />
          <p className="quiet">
            {t('accounts.linkHelp', { time: format.moment(make.data.expiresAt) })}
          </p>
        </>
      )}
    </>
  )
}
