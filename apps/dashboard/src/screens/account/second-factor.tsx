/** The second factor of one's own log-ins: an authenticator app, and codes for when it is lost. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FieldForm } from '../../components/field-form.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { CopyBox } from '../../components/copy-box.tsx'
import { ChangeForm, ownPassword } from '../../components/change-form.tsx'
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
        <Field {...ownPassword(t)} value={password} onChange={setPassword} />
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
  return (
    <>
      <p>
        {t('factor.add')} <a href={begun.uri}>{t('factor.open')}</a>
      </p>
      <CopyBox text={begun.secret} label={t('factor.secret')} />
      <FieldForm
        fields={[
          {
            name: 'code',
            label: t('factor.code'),
            inputMode: 'numeric',
            autoComplete: 'one-time-code',
          },
        ]}
        send={async (text) => {
          const body = { code: text('code') }
          onDone((await station('POST /me/second-factor/confirm', { body })).recoveryCodes)
        }}
        touched={TOUCHED}
        label={t('factor.confirm')}
        isPrimary
      />
    </>
  )
}

function Removal({ since, left, onDone }: { since: number; left: number; onDone: () => void }) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <>
      <p>{t('factor.on', { time: format.moment(since), count: left })}</p>
      <FieldForm
        fields={[
          { name: 'password', ...ownPassword(t) },
          { name: 'code', label: t('factor.anyCode'), autoComplete: 'one-time-code' },
        ]}
        send={async (text) => {
          const body = { password: text('password'), code: text('code') }
          await station('POST /me/second-factor/remove', { body })
          onDone()
        }}
        touched={TOUCHED}
        label={t('factor.remove')}
      />
    </>
  )
}
