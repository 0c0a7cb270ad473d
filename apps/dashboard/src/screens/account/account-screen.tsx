import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { FieldForm } from '../../components/field-form.tsx'
import { DownloadLink } from '../../components/download-link.tsx'
import { ApiFailure } from '../../api/call.ts'
import { ownPassword, ChangeForm } from '../../components/change-form.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { logOut, requestEmail, deleteOwnAccount, type Me } from '../../api/people.ts'
import { hasPasskeys } from '../../api/passkeys.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { LogInForm } from '../../auth/log-in-form.tsx'
import { useMe } from '../../auth/use-me.ts'
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
  return (
    <section className="card">
      <h2>{t('account.password')}</h2>
      <FieldForm
        fields={[
          {
            name: 'current',
            label: t('account.currentPassword'),
            type: 'password',
            autoComplete: 'current-password',
          },
          {
            name: 'next',
            label: t('people.newPassword'),
            type: 'password',
            autoComplete: 'new-password',
            help: t('people.passwordHelp'),
          },
        ]}
        send={(text) =>
          station('POST /me/password', { body: { current: text('current'), next: text('next') } })
        }
        touched={[]}
        label={t('account.changePassword')}
        isPrimary
        done={t('account.passwordChanged')}
      />
    </section>
  )
}

function BoardName({ me }: { me: Me }) {
  const { t } = useTranslation()
  return (
    <section className="card">
      <h2>{t('account.board')}</h2>
      <FieldForm
        fields={[
          {
            name: 'name',
            label: t('account.boardName'),
            help: t('account.boardHelp'),
            first: me.boardName ?? '',
            isOptional: true,
            isKept: true,
          },
        ]}
        send={(text) => station('POST /me/board-name', { body: { name: text('name') || null } })}
        touched={['me', 'leaders']}
        label={t('save')}
        isPrimary
        done={t('saved')}
      />
    </section>
  )
}

/** The e-mail address of an account: by it its owner gets back in without an operator. */
function EmailCard({ me }: { me: Me }) {
  const { t, i18n } = useTranslation()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const remove = useChange(() => station('DELETE /me/email'), ['me'])
  const request = useChange(async () => {
    await requestEmail({ email: email.trim(), password, language: i18n.language })
    setPassword('')
    return email.trim()
  }, ['me'])
  return (
    <section className="card">
      <h2>{t('email.title')}</h2>
      <p>{me.email === null ? t('email.none') : t('email.confirmed', { email: me.email })}</p>
      <ChangeForm
        change={request}
        isFilled={email.trim() !== '' && password !== ''}
        label={t('email.send')}
        isPrimary
        error={remove.error}
        more={
          <>
            {me.email === null ? null : (
              <Button isDisabled={remove.isPending} onPress={() => remove.mutate(undefined)}>
                {t('email.remove')}
              </Button>
            )}
            <span role="status" className="quiet">
              {request.isSuccess ? t('email.sent', { email: request.data }) : ''}
            </span>
          </>
        }
      >
        <Field label={t('email.address')} value={email} onChange={setEmail} autoComplete="email" />
        <Field {...ownPassword(t)} value={password} onChange={setPassword} />
      </ChangeForm>
    </section>
  )
}

/** What the station stores about a person, to take along, and the end of the account. */
function AccountEnd() {
  const { t } = useTranslation()
  return (
    <section className="card">
      <h2>{t('accountEnd.title')}</h2>
      <p>{t('accountEnd.exportLead')}</p>
      <div className="actions">
        <DownloadLink path="/me/export" fileName="minga-account.json">
          {t('accountEnd.export')}
        </DownloadLink>
      </div>
      <Deletion />
    </section>
  )
}

function Deletion() {
  const { t } = useTranslation()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const go = useMutation({
    mutationFn: () => deleteOwnAccount(code.trim() === '' ? { password } : { password, code }),
    // A new page: nothing of what the person saw is left in this one.
    onSuccess: () => location.assign('/'),
  })
  const needsCode =
    code !== '' || (go.error instanceof ApiFailure && go.error.code.endsWith('_FACTOR_NEEDED'))
  return (
    <details>
      <summary>{t('accountEnd.delete')}</summary>
      <p>{t('accountEnd.deleteText')}</p>
      <ChangeForm change={go} isFilled={password !== ''} label={t('accountEnd.deleteYes')}>
        <Field {...ownPassword(t)} value={password} onChange={setPassword} />
        {needsCode ? (
          <Field
            label={t('factor.anyCode')}
            value={code}
            onChange={setCode}
            autoComplete="one-time-code"
          />
        ) : null}
      </ChangeForm>
    </details>
  )
}
