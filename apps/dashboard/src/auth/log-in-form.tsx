import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { useStation } from '../api/use-station.ts'
import { ApiFailure } from '../api/call.ts'
import { beginOidc } from '../api/oidc.ts'
import { hasPasskeys, logInByPasskey } from '../api/passkeys.ts'
import { logIn, register } from '../api/people.ts'
import { Failure } from '../components/failure.tsx'
import { Field } from '../components/field.tsx'

/** Logs a user in, or creates their account first. */
export function LogInForm({ isNew = false, onDone }: { isNew?: boolean; onDone?: () => void }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const done = async (): Promise<void> => {
    // Whatever was read as another visitor is read again.
    await queries.resetQueries()
    onDone?.()
  }
  const enter = useMutation({
    mutationFn: () => {
      const login = { name: name.trim(), password }
      if (isNew) return register(login)
      return logIn(code.trim() === '' ? login : { ...login, code: code.trim() })
    },
    onSuccess: done,
  })
  const needsCode = isCodeWanted(enter.error) || code !== ''
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (name.trim() !== '' && password !== '') enter.mutate()
  }
  return (
    <Form onSubmit={send} validationBehavior="aria" className="form">
      <Field label={t('people.name')} value={name} onChange={setName} autoComplete="username" />
      <Field
        label={t('people.password')}
        value={password}
        onChange={setPassword}
        type="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        {...(isNew ? { help: t('people.passwordHelp') } : {})}
      />
      {needsCode ? (
        <Field
          label={t('factor.anyCode')}
          value={code}
          onChange={setCode}
          autoComplete="one-time-code"
        />
      ) : null}
      <Failure error={enter.error} />
      <div className="actions">
        <Button type="submit" className="primary" isDisabled={enter.isPending}>
          {isNew ? t('people.register') : t('people.logIn')}
        </Button>
        {isNew ? (
          <Link to="/log-in">{t('people.haveAccount')}</Link>
        ) : (
          <Link to="/register">{t('people.noAccount')}</Link>
        )}
      </div>
      {isNew ? null : <OtherWays onDone={done} />}
    </Form>
  )
}

/** A code that was wrong is typed again. */
function isCodeWanted(error: Error | null): boolean {
  const codes = ['MINGA_SECOND_FACTOR_NEEDED', 'MINGA_BAD_CODE']
  return error instanceof ApiFailure && codes.includes(error.code)
}

/** What else the station and the browser have for who forgot their password, or needs none. */
function OtherWays({ onDone }: { onDone: () => Promise<void> }) {
  const { t } = useTranslation()
  const options = useStation(['log-in-options'], 'GET /log-in-options')
  const byOidc = useMutation({ mutationFn: beginOidc })
  const byPasskey = useMutation({ mutationFn: logInByPasskey, onSuccess: onDone })
  return (
    <>
      {options.data?.passkeys && hasPasskeys() ? (
        <>
          <div className="actions">
            <Button isDisabled={byPasskey.isPending} onPress={() => byPasskey.mutate()}>
              {t('people.byPasskey')}
            </Button>
          </div>
          <Failure error={byPasskey.error} />
        </>
      ) : null}
      {options.data?.oidc ? (
        <>
          <div className="actions">
            <Button isDisabled={byOidc.isPending} onPress={() => byOidc.mutate()}>
              {t('people.byOidc', { label: options.data.oidc })}
            </Button>
          </div>
          <Failure error={byOidc.error} />
        </>
      ) : null}
      <Failure error={options.error} onRetry={() => void options.refetch()} />
      <p className="quiet">
        {options.data?.resetsByMail ? (
          <Link to="/forgotten">{t('people.forgottenByMail')}</Link>
        ) : (
          t('people.forgotten')
        )}
      </p>
    </>
  )
}
