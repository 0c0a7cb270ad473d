/** The second factor of one's own log-ins: an authenticator app, and codes for when it is lost. */
import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import {
  beginSecondFactor,
  confirmSecondFactor,
  readSecondFactor,
  removeSecondFactor,
} from '../../api/people.ts'
import { CopyBox } from '../../parts/copy-box.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useFormat } from '../../parts/use-format.ts'

const TOUCHED = ['second-factor']

export function SecondFactor() {
  const { t } = useTranslation()
  const query = useQuery({ queryKey: TOUCHED, queryFn: readSecondFactor })
  const [codes, show] = useState<readonly string[] | null>(null)
  return (
    <section className="card">
      <h2>{t('factor.title')}</h2>
      {codes === null ? null : <RecoveryCodes codes={codes} />}
      <Loaded query={query}>
        {({ since, recoveryCodes }) =>
          since === null ? (
            <SetUp onDone={show} />
          ) : (
            <Removal since={since} left={recoveryCodes} onDone={() => show(null)} />
          )
        }
      </Loaded>
    </section>
  )
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const { t } = useTranslation()
  return (
    <>
      <CopyBox text={codes.join('\n')} label={t('factor.codes')} />
      <p>{t('factor.codesHelp')}</p>
    </>
  )
}

function SetUp({ onDone }: { onDone: (codes: readonly string[]) => void }) {
  const { t } = useTranslation()
  const [password, setPassword] = useState('')
  const begin = useChange(() => beginSecondFactor(password), [])
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (password !== '') begin.mutate(undefined)
  }
  if (begin.data !== undefined) return <Confirmation begun={begin.data} onDone={onDone} />
  return (
    <>
      <p>{t('factor.lead')}</p>
      <Form onSubmit={send} validationBehavior="aria" className="form">
        <Field
          label={t('account.yourPassword')}
          value={password}
          onChange={setPassword}
          type="password"
          autoComplete="current-password"
        />
        <Failure error={begin.error} />
        <div className="actions">
          <Button type="submit" className="primary" isDisabled={begin.isPending}>
            {t('factor.begin')}
          </Button>
        </div>
      </Form>
    </>
  )
}

interface ConfirmationProps {
  begun: { secret: string; uri: string }
  onDone: (codes: readonly string[]) => void
}

function Confirmation({ begun, onDone }: ConfirmationProps) {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const confirm = useChange(async () => {
    const { recoveryCodes } = await confirmSecondFactor(code.trim())
    onDone(recoveryCodes)
  }, TOUCHED)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (code.trim() !== '') confirm.mutate(undefined)
  }
  return (
    <>
      <p>
        {t('factor.add')} <a href={begun.uri}>{t('factor.open')}</a>
      </p>
      <CopyBox text={begun.secret} label={t('factor.secret')} />
      <Form onSubmit={send} validationBehavior="aria" className="form">
        <Field
          label={t('factor.code')}
          value={code}
          onChange={setCode}
          inputMode="numeric"
          autoComplete="one-time-code"
        />
        <Failure error={confirm.error} />
        <div className="actions">
          <Button type="submit" className="primary" isDisabled={confirm.isPending}>
            {t('factor.confirm')}
          </Button>
        </div>
      </Form>
    </>
  )
}

interface RemovalProps {
  since: number
  left: number
  onDone: () => void
}

function Removal({ since, left, onDone }: RemovalProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const remove = useChange(async () => {
    await removeSecondFactor({ password, code: code.trim() })
    onDone()
  }, TOUCHED)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (password !== '' && code.trim() !== '') remove.mutate(undefined)
  }
  return (
    <>
      <p>{t('factor.on', { time: format.moment(since), count: left })}</p>
      <Form onSubmit={send} validationBehavior="aria" className="form">
        <Field
          label={t('account.yourPassword')}
          value={password}
          onChange={setPassword}
          type="password"
          autoComplete="current-password"
        />
        <Field
          label={t('factor.anyCode')}
          value={code}
          onChange={setCode}
          autoComplete="one-time-code"
        />
        <Failure error={remove.error} />
        <div className="actions">
          <Button type="submit" isDisabled={remove.isPending}>
            {t('factor.remove')}
          </Button>
        </div>
      </Form>
    </>
  )
}
