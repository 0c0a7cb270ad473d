/** The collection that the same seeds and scope were gathered as before, and what to do about it now. */
import type { ExistingChoice, ExistingCollection } from '@minga/protocol'
import { Link } from '@tanstack/react-router'
import { Label, Radio, RadioGroup } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Ago } from '../../components/ago.tsx'
import { useFormat } from '../../components/use-format.ts'

interface ExistingCardProps {
  existing: ExistingCollection
  choice: ExistingChoice | null
  onChoice: (choice: ExistingChoice) => void
  /** The form was sent without a choice where one is needed. */
  isMissing: boolean
}

export function ExistingCard({ existing, choice, onChoice, isMissing }: ExistingCardProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { collection, changes } = existing
  if (collection === null) return null
  const { id, pages, spec, createdAt, endedAt } = collection
  const choices = offeredChoices(changes)
  return (
    <section className="banner info existing" aria-label={t('existing.title')}>
      <p>
        <b>{t('existing.title')}</b> <Ago at={endedAt ?? createdAt} /> (
        {t('existing.pages', { count: pages, shown: format.count(pages) })},{' '}
        {spec.maxPages === null
          ? t('existing.noLimit')
          : t('existing.limit', { limit: format.count(spec.maxPages) })}
        ).{' '}
        <Link to="/collections/$id" params={{ id: String(id) }}>
          {t('existing.open', { id })}
        </Link>
      </p>
      <RadioGroup
        className="radios"
        value={choice}
        isInvalid={isMissing}
        onChange={(value) => onChoice(value as ExistingChoice)}
      >
        <Label>{t('existing.question')}</Label>
        {choices.map((name) => (
          <Radio key={name} value={name}>
            {t(`existing.${name}`)}
          </Radio>
        ))}
      </RadioGroup>
      {isMissing ? <p role="alert">{t('existing.missing')}</p> : null}
    </section>
  )
}

/** Where nothing would change there is nothing to apply. */
function offeredChoices({ after }: ExistingCollection['changes']): readonly ExistingChoice[] {
  const isChange = Object.keys(after).length > 0
  return isChange ? ['continue', 'change', 'separate'] : ['continue', 'separate']
}
