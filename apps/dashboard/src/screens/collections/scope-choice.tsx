import { useTranslation } from 'react-i18next'
import { Radios } from '../../components/choice.tsx'
import type { ScopeKind } from '../../api/api-types.ts'

/** In the order of the form, from the narrowest on. */
const SCOPES = ['page', 'prefix', 'host', 'domain', 'any'] as const satisfies ScopeKind[]

interface ScopeChoiceProps {
  value: ScopeKind
  onChange: (scope: ScopeKind) => void
}

export function ScopeChoice({ value, onChange }: ScopeChoiceProps) {
  const { t } = useTranslation()
  return (
    <Radios
      label={t('form.scope')}
      value={value}
      onChange={onChange}
      options={SCOPES.map((scope) => [scope, t(`scope.${scope}`)])}
    />
  )
}
