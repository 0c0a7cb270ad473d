import { useState, type FormEvent } from 'react'
import {
  Button,
  Dialog,
  DialogTrigger,
  Form,
  Heading,
  Modal,
  ModalOverlay,
} from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { AccountView } from '../../api/api-types.ts'
import { makeAccount, readAccounts } from '../../api/people.ts'
import { CheckList } from '../../parts/check-list.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useFormat } from '../../parts/use-format.ts'
import { usePages } from '../../parts/use-pages.ts'
import { ForThoseWho } from '../../people/for-those-who.tsx'
import { useMe } from '../../people/use-me.ts'
import { BudgetForms, ResetLink, RolesForm, ROLES } from '../account/account-forms.tsx'

const ROWS = 100

export function AccountsScreen() {
  const { t } = useTranslation()
  return (
    <ForThoseWho may="accounts:read" title={t('accounts.title')}>
      <Accounts />
    </ForThoseWho>
  )
}

function Accounts() {
  const { t } = useTranslation()
  const format = useFormat()
  const { may } = useMe()
  const pages = usePages<AccountView, string>({
    key: ['accounts'],
    rows: ROWS,
    read: readAccounts,
    cursorOf: ({ id }) => id,
  })
  return (
    <>
      <h1>{t('accounts.title')}</h1>
      <section className="card">
        <Loaded query={pages.query}>
          {(accounts) => (
            <DataTable
              caption={t('accounts.title')}
              rows={accounts}
              keyOf={({ id }) => id}
              columns={[
                {
                  label: t('people.name'),
                  isAddress: true,
                  cell: ({ name, id }) => (
                    <>
                      <b>{name}</b>
                      <span>{id}</span>
                    </>
                  ),
                },
                {
                  label: t('account.roles'),
                  cell: ({ roles }) => roles.map((role) => t(`role.${role}`)).join(', '),
                },
                { label: t('account.since'), cell: ({ createdAt }) => format.moment(createdAt) },
                { label: t('join.change'), cell: (account) => <Manage account={account} /> },
              ]}
            />
          )}
        </Loaded>
        <MoreButton pages={pages} />
      </section>
      {may('accounts:write') ? <NewAccount /> : null}
    </>
  )
}

function Manage({ account }: { account: AccountView }) {
  const { t } = useTranslation()
  const { may } = useMe()
  return (
    <DialogTrigger>
      <Button aria-label={t('accounts.manageName', { name: account.name })}>
        {t('accounts.manage')}
      </Button>
      <ModalOverlay className="overlay" isDismissable>
        <Modal className="modal">
          <Dialog>
            {({ close }) => (
              <>
                <Heading slot="title">{account.name}</Heading>
                {may('accounts:write') ? <RolesForm account={account} /> : null}
                {may('budgets:write') ? <BudgetForms account={account} /> : null}
                {may('resets:make') ? <ResetLink account={account} /> : null}
                <div className="actions">
                  <Button onPress={close}>{t('close')}</Button>
                </div>
              </>
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  )
}

function NewAccount() {
  const { t } = useTranslation()
  const [name, setName] = useState('')
  const [roles, setRoles] = useState<string[]>(['volunteer', 'reader'])
  const make = useChange(async () => {
    const made = await makeAccount({ name: name.trim(), roles })
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
          <Button type="submit" className="primary" isDisabled={make.isPending}>
            {t('accounts.make')}
          </Button>
        </div>
      </Form>
      {make.data === undefined ? null : <ResetLink account={make.data} />}
    </section>
  )
}
