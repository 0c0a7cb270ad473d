import { useState, type FormEvent } from 'react'
import { Button, Dialog, DialogTrigger, Form, Heading } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { makeAccount } from '../../api/people.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { CheckList } from '../../components/check-list.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { sortedPages } from '../../components/list/sorted-pages.ts'
import { useChange } from '../../components/use-change.ts'
import { permitted } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import {
  AccountDeletion,
  BudgetForms,
  FactorReset,
  ResetLink,
  RolesForm,
  ROLES,
} from '../account/account-forms.tsx'
import type { Account } from '../../api/station-api.ts'
import { Overlay } from '../../components/overlay.tsx'

export const AccountsScreen = permitted('accounts:read', 'accounts.title', Accounts)

function Accounts() {
  const { t } = useTranslation()
  const { may } = useMe()
  const columns = useColumns()
  return (
    <>
      <h1>{t('accounts.title')}</h1>
      <section className="card">
        <List
          caption={t('accounts.title')}
          columns={columns}
          searchLabel={t('accounts.search')}
          firstSort="createdAt"
          fileName="accounts"
          pages={{
            key: ['accounts'],
            read: sortedPages((query) => station('GET /accounts/page', { query }), 'createdAt'),
          }}
          empty={null}
        />
      </section>
      {may('accounts:write') ? <NewAccount /> : null}
    </>
  )
}

function useColumns(): ListColumn<Account>[] {
  const { t } = useTranslation()
  const roles = (account: Account): string =>
    account.roles.map((role) => t(`role.${role}`)).join(', ')
  return [
    {
      id: 'name',
      label: t('people.name'),
      isAddress: true,
      canSort: true,
      cell: ({ name, id }) => (
        <>
          <b>{name}</b>
          <span>{id}</span>
        </>
      ),
    },
    {
      id: 'role',
      label: t('account.roles'),
      cell: roles,
      value: ({ roles: given }) => given.join(' '),
      filter: choiceOf(ROLES, (value) => t(`role.${value}`)),
    },
    {
      id: 'createdAt',
      label: t('account.since'),
      as: 'moment',
      canSort: true,
      filter: { kind: 'time' },
    },
    { id: 'change', label: t('join.change'), content: (account) => <Manage account={account} /> },
  ]
}

function Manage({ account }: { account: Account }) {
  const { t } = useTranslation()
  const { may } = useMe()
  return (
    <DialogTrigger>
      <Button aria-label={t('accounts.manageName', { name: account.name })}>
        {t('accounts.manage')}
      </Button>
      <Overlay>
        <Dialog>
          {({ close }) => (
            <>
              <Heading slot="title">{account.name}</Heading>
              {may('accounts:write') ? <RolesForm account={account} /> : null}
              {may('budgets:write') ? <BudgetForms account={account} /> : null}
              {may('resets:make') ? <ResetLink account={account} /> : null}
              {may('accounts:write') ? <FactorReset account={account} /> : null}
              {may('accounts:write') ? <AccountDeletion account={account} /> : null}
              <div className="actions">
                <Button onPress={close}>{t('close')}</Button>
              </div>
            </>
          )}
        </Dialog>
      </Overlay>
    </DialogTrigger>
  )
}

function NewAccount() {
  const { t } = useTranslation()
  const [name, setName] = useState('')
  const [roles, setRoles] = useState<string[]>(['volunteer', 'reader'])
  const make = useChange(async () => {
    const made = await makeAccount(name.trim(), roles)
    setName('')
    return made
  }, ['accounts'])
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (name.trim() !== '') make.mutate(undefined)
  }
  return (
    <section className="card">
      <h2>{t('accounts.new')}</h2>
      <p className="quiet">{t('accounts.newLead')}</p>
      <Form onSubmit={send} validationBehavior="aria" className="form">
        <Field label={t('people.name')} value={name} onChange={setName} />
        <CheckList
          label={t('account.roles')}
          options={ROLES.map((role) => ({ value: role, label: t(`role.${role}`) }))}
          chosen={roles}
          onChange={setRoles}
        />
        <Failure error={make.error} />
        <div className="actions">
          <BusyButton isPrimary isBusy={make.isPending}>
            {t('accounts.make')}
          </BusyButton>
        </div>
      </Form>
      {make.data === undefined ? null : <ResetLink account={make.data} />}
    </section>
  )
}
