/** A new alert: by which way, of what, and when. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NewAlertView } from '@minga/protocol'
import { Radios, Select } from '../../components/choice.tsx'
import { ChangeForm } from '../../components/change-form.tsx'
import { station } from '../../api/station.ts'
import { LANGUAGES } from '../../language.ts'
import { CheckList } from '../../components/check-list.tsx'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'
import {
  alertAsked,
  alertProblemsOf,
  CHANGES,
  CHANNELS,
  DAYS,
  DIGESTS,
  emptyAlert,
  type AlertProblems,
  type AlertTyped,
} from './watch-alerts-form.ts'

interface NewAlertProps {
  /** Null: of everything that the account watches. */
  watchId: number | null
  onMade: (alert: NewAlertView) => void
}

interface FormPart {
  typed: AlertTyped
  change: (part: Partial<AlertTyped>) => void
  problems: AlertProblems
}

export function NewAlert({ watchId, onMade }: NewAlertProps) {
  const { t, i18n } = useTranslation()
  const [typed, setTyped] = useState(() => emptyAlert(i18n.language))
  const [wasSent, setWasSent] = useState(false)
  const make = useChange(async () => {
    const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions()
    onMade(await station('POST /alerts', { body: alertAsked(typed, { watchId, zone }) }))
    setTyped(emptyAlert(i18n.language))
    setWasSent(false)
  }, ['alerts'])
  const problems = wasSent ? alertProblemsOf(typed) : {}
  const part: FormPart = { typed, problems, change: (some) => setTyped({ ...typed, ...some }) }
  return (
    <ChangeForm
      change={make}
      isFilled={Object.keys(alertProblemsOf(typed)).length === 0}
      label={t('alert.make')}
      isPrimary
      onTry={() => setWasSent(true)}
    >
      <Where {...part} />
      <What {...part} />
      <InWhich {...part} />
      {typed.channel === 'feed' ? null : <When {...part} />}
      {problems.nothing === undefined ? null : (
        <p className="banner error" role="alert">
          {t('alert.nothing')}
        </p>
      )}
    </ChangeForm>
  )
}

function Where({ typed, change, problems }: FormPart) {
  const { t } = useTranslation()
  const { channel } = typed
  return (
    <>
      <Radios
        label={t('alert.channel')}
        value={channel}
        onChange={(chosen) => change({ channel: chosen })}
        options={CHANNELS.map((one) => [one, t(`alert.by.${one}`)])}
        isAcross
      />
      <p className="quiet">{t(`alert.help.${channel}`)}</p>
      {channel === 'feed' ? null : (
        <Field
          label={t(`alert.target.${channel}`)}
          value={typed.target}
          onChange={(target) => change({ target })}
          problem={problems.target === undefined ? undefined : t('alert.targetMissing')}
        />
      )}
    </>
  )
}

function What({ typed, change, problems }: FormPart) {
  const { t } = useTranslation()
  const wrong = t('watch.numberWrong')
  return (
    <>
      <Radios
        label={t('watch.changes')}
        value={typed.changes}
        onChange={(chosen) => change({ changes: chosen })}
        options={CHANGES.map((one) => [one, t(`alert.changes.${one}`)])}
        isAcross
      />
      <Field
        label={t('alert.least')}
        value={typed.least}
        onChange={(least) => change({ least })}
        inputMode="decimal"
        isShort
        problem={problems.least === undefined ? undefined : wrong}
      />
      <Field
        label={t('alert.failures')}
        value={typed.failures}
        onChange={(failures) => change({ failures })}
        help={t('alert.failuresHelp')}
        inputMode="numeric"
        isShort
        problem={problems.failures === undefined ? undefined : wrong}
      />
      <CheckList
        label={t('alert.tells')}
        options={[{ value: 'back', label: t('alert.tellsBack') }]}
        chosen={typed.tellsBack ? ['back'] : []}
        onChange={(chosen) => change({ tellsBack: chosen.length > 0 })}
      />
    </>
  )
}

function InWhich({ typed, change }: FormPart) {
  const { t } = useTranslation()
  return (
    <label className="choice">
      <b>{t('alert.language')}</b>
      <select
        value={typed.language}
        onChange={(event) => change({ language: event.target.value as AlertTyped['language'] })}
      >
        <option value="">{t('alert.stationLanguage')}</option>
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function When({ typed, change, problems }: FormPart) {
  const { t, i18n } = useTranslation()
  const quietWrong = problems.quiet === undefined ? undefined : t('alert.quietWrong')
  // 4 May 2026 is a Monday.
  const dayName = (day: number): string =>
    new Intl.DateTimeFormat(i18n.language, { weekday: 'long', timeZone: 'UTC' }).format(
      Date.UTC(2026, 4, 3 + day),
    )
  return (
    <>
      <Select
        label={t('alert.when')}
        value={typed.digest}
        onChange={(chosen) => change({ digest: chosen })}
        options={DIGESTS.map((one) => [one, t(`alert.digest.${one}`)])}
      />
      {typed.digest === 'weekly' ? (
        <Select
          label={t('alert.day')}
          value={typed.digestDay}
          onChange={(chosen) => change({ digestDay: chosen })}
          options={DAYS.map((day) => [String(day), dayName(day)])}
        />
      ) : null}
      {typed.digest === 'daily' || typed.digest === 'weekly' ? (
        <Field
          label={t('alert.hour')}
          value={typed.digestHour}
          onChange={(digestHour) => change({ digestHour })}
          inputMode="numeric"
          isShort
          problem={problems.digestHour === undefined ? undefined : t('watch.numberWrong')}
        />
      ) : null}
      <Field
        label={t('alert.quietFrom')}
        value={typed.quietFrom}
        onChange={(quietFrom) => change({ quietFrom })}
        help={t('alert.quietHelp')}
        placeholder="22:00"
        isShort
        problem={quietWrong}
      />
      <Field
        label={t('alert.quietTo')}
        value={typed.quietTo}
        onChange={(quietTo) => change({ quietTo })}
        placeholder="07:00"
        isShort
        problem={quietWrong}
      />
    </>
  )
}
