import type { Me } from '@minga/protocol'
import { useMutation } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { logOut } from '../../api/people.ts'
import { hasPasskeys } from '../../api/passkeys.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { LogInForm } from '../../auth/log-in-form.tsx'
import { useMe } from '../../auth/use-me.ts'
import { AccountEnd } from './account-end.tsx'
import { EmailCard } from './email-card.tsx'
import { Identities } from './identities.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

export function AccountScreen() {
  const { t } = useTranslation()
  const { me, isKnown, may } = useMe()
  const options = useStation(['log-in-options'], 'GET /log-in-options')
  if (!isKnown) return <p className="quiet">{t('live.waiting')}</p>
  if (me === null) {
    return (
      <section className="card narrow">
        <h1>{t('account.title')}</h1>
        <p>{t('people.needsLogIn')}</p>
        <LogInForm />
      </section>
    )
  }
  return (
    <>
      <Identity me={me} />
      <Failure error={options.error} onRetry={() => void options.refetch()} />
      <div className="columns">
        {me.via === 'session' ? <Password /> : null}
        {me.via === 'session' && options.data?.resetsByMail ? <EmailCard me={me} /> : null}
        {me.via === 'session' ? <SecondFactor /> : null}
        {may('ledger:read') ? <BoardName me={me} /> : null}
      </div>
      {me.via === 'session' && options.data?.passkeys && hasPasskeys() ? <Passkeys /> : null}
      {me.via === 'session' && options.data?.oidc ? <Identities label={options.data.oidc} /> : null}
      <Sessions />
      {me.via === 'session' ? <AccountEnd /> : null}
    </>
  )
}

function Identity({ me }: { me: Me }) {
  const { t } = useTranslation()
  const format = useFormat()
  const leave = useMutation({
    mutationFn: logOut,
    // A new page: nothing that the previous user saw is left in this one.
    onSuccess: () => location.assign('/'),
  })
  const roles = me.account.roles.map((role) => t(`role.${role}`)).join(', ')
  return (
    <section className="card">
      <h1>{me.account.name}</h1>
      {me.via === 'key' ? <p className="quiet">{t('account.viaKey')}</p> : null}
      <FiguresList
        figures={[
          { label: t('account.roles'), value: roles || t('account.noRoles') },
          { label: t('account.since'), value: format.moment(me.account.createdAt) },
        ]}
      />
      <div className="actions">
        <Button onPress={() => leave.mutate(false)}>{t('people.logOut')}</Button>
        {me.via === 'session' ? (
          <ConfirmButton
            label={t('account.everywhere')}
            title={t('account.everywhereTitle')}
            text={t('account.everywhereText')}
            yes={t('account.everywhere')}
            onConfirm={() => leave.mutate(true)}
          />
        ) : null}
      </div>
      <Failure error={leave.error} />
    </section>
  )
}

function Password() {
  const { t } = useTranslation()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const change = useMutation({
    mutationFn: () => station('POST /me/password', { body: { current, next } }),
    onSuccess: () => {
      setCurrent('')
      setNext('')
    },
  })
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (current !== '' && next !== '') change.mutate()
  }
  return (
    <section className="card">
      <h2>{t('account.password')}</h2>
      <Form onSubmit={send} validationBehavior="aria" className="form">
        <Field
          label={t('account.currentPassword')}
          value={current}
          onChange={setCurrent}
          type="password"
          autoComplete="current-password"
        />
        <Field
          label={t('people.newPassword')}
          value={next}
          onChange={setNext}
          type="password"
          autoComplete="new-password"
          help={t('people.passwordHelp')}
        />
        <Failure error={change.error} />
        <div className="actions">
          <Button type="submit" className="primary" isDisabled={change.isPending}>
            {t('account.changePassword')}
          </Button>
          <span role="status" className="quiet">
            {change.isSuccess ? t('account.passwordChanged') : ''}
          </span>
        </div>
      </Form>
    </section>
  )
}

function BoardName({ me }: { me: Me }) {
  const { t } = useTranslation()
  const [name, setName] = useState(me.boardName ?? '')
  const change = useChange(
    (chosen: string | null) => station('POST /me/board-name', { body: { name: chosen } }),
    ['me', 'leaders'],
  )
  const send = (event: FormEvent): void => {
    event.preventDefault()
    change.mutate(name.trim() === '' ? null : name.trim())
  }
  return (
    <section className="card">
      <h2>{t('account.board')}</h2>
      <Form onSubmit={send} validationBehavior="aria" className="form">
        <Field
          label={t('account.boardName')}
          value={name}
          onChange={setName}
          help={t('account.boardHelp')}
        />
        <Failure error={change.error} />
        <div className="actions">
          <Button type="submit" className="primary" isDisabled={change.isPending}>
            {t('save')}
          </Button>
          <span role="status" className="quiet">
            {change.isSuccess ? t('saved') : ''}
          </span>
        </div>
      </Form>
    </section>
  )
}
