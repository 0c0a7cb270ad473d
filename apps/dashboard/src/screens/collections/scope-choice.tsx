import { Label, Radio, RadioGroup } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { SCOPES, type ScopeKind } from '../../api/api-types.ts'

interface ScopeChoiceProps {
  value: ScopeKind
  onChange: (scope: ScopeKind) => void
}

export function ScopeChoice({ value, onChange }: ScopeChoiceProps) {
  const { t } = useTranslation()
  return (
    <RadioGroup className="radios" value={value} onChange={(scope) => onChange(scope as ScopeKind)}>
      <Label>{t('form.scope')}</Label>
      {SCOPES.map((scope) => (
        <Radio key={scope} value={scope}>
          {t(`scope.${scope}`)}
        </Radio>
      ))}
    </RadioGroup>
  )
}
