/** The second factor of one's own log-ins: an authenticator app, and codes for when it is lost. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { CopyBox } from '../../components/copy-box.tsx'
import { ChangeForm, OwnPassword } from '../../components/change-form.tsx'
import { Field } from '../../components/field.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'

const TOUCHED = ['second-factor']

export function SecondFactor() {
  const { t } = useTranslation()
  const query = useStation(TOUCHED, 'GET /me/second-factor')
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
  const begin = useChange(() => station('POST /me/second-factor', { body: { password } }), [])
  if (begin.data !== undefined) return <Confirmation begun={begin.data} onDone={onDone} />
  return (
    <>
      <p>{t('factor.lead')}</p>
      <ChangeForm change={begin} isFilled={password !== ''} label={t('factor.begin')} isPrimary>
        <OwnPassword value={password} onChange={setPassword} />
      </ChangeForm>
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
    const { recoveryCodes } = await station('POST /me/second-factor/confirm', {
      body: { code: code.trim() },
    })
    onDone(recoveryCodes)
  }, TOUCHED)
  return (
    <>
      <p>
        {t('factor.add')} <a href={begun.uri}>{t('factor.open')}</a>
      </p>
      <CopyBox text={begun.secret} label={t('factor.secret')} />
      <ChangeForm
        change={confirm}
        isFilled={code.trim() !== ''}
        label={t('factor.confirm')}
        isPrimary
      >
        <Field
          label={t('factor.code')}
          value={code}
          onChange={setCode}
          inputMode="numeric"
          autoComplete="one-time-code"
        />
      </ChangeForm>
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
    await station('POST /me/second-factor/remove', { body: { password, code: code.trim() } })
    onDone()
  }, TOUCHED)
  return (
    <>
      <p>{t('factor.on', { time: format.moment(since), count: left })}</p>
      <ChangeForm
        change={remove}
        isFilled={password !== '' && code.trim() !== ''}
        label={t('factor.remove')}
      >
        <OwnPassword value={password} onChange={setPassword} />
        <Field
          label={t('factor.anyCode')}
          value={code}
          onChange={setCode}
          autoComplete="one-time-code"
        />
      </ChangeForm>
    </>
  )
}
