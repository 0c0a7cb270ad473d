/** Fields that the steps of the form share. */
import type { ReactNode } from 'react'
import {
  Checkbox,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField,
} from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { leastOf, type FormProblems, type FormValues, type NumberField } from './collection-form.ts'

export interface FormPart {
  values: FormValues
  change: (part: Partial<FormValues>) => void
  problems: FormProblems
}

export function NumberInput(props: FormPart & { field: NumberField; help?: string }) {
  const { values, change, problems, field, help } = props
  const { t } = useTranslation()
  return (
    <TextField
      className="react-aria-TextField short"
      inputMode="decimal"
      value={values[field]}
      onChange={(text) => change({ [field]: text })}
      isInvalid={problems[field] === true}
    >
      <Label>{t(`form.${field}`)}</Label>
      <Input />
      {help === undefined ? null : <Text slot="description">{help}</Text>}
      <FieldError>{t('form.badNumber', { least: leastOf(field) })}</FieldError>
    </TextField>
  )
}

interface TextInputProps extends FormPart {
  field: 'seeds' | 'include' | 'exclude' | 'filter' | 'extract'
  rows: number
  help?: ReactNode
  problem?: string
  placeholder?: string
}

export function TextInput(props: TextInputProps) {
  const { values, change, problems, field, rows, help, problem, placeholder } = props
  const { t } = useTranslation()
  const isInvalid = field in problems
  return (
    <TextField
      value={values[field]}
      onChange={(text) => change({ [field]: text })}
      isInvalid={isInvalid}
    >
      <Label>{t(`form.${field}`)}</Label>
      <TextArea
        rows={rows}
        spellCheck={false}
        {...(placeholder === undefined ? {} : { placeholder })}
      />
      {help === undefined ? null : <Text slot="description">{help}</Text>}
      <FieldError>{problem}</FieldError>
    </TextField>
  )
}

type Switch = 'embeds' | 'sitemaps' | 'obeyNofollow' | 'trapBudget'

export function SwitchInput({ values, change, field }: FormPart & { field: Switch }) {
  const { t } = useTranslation()
  return (
    <Checkbox isSelected={values[field]} onChange={(isOn) => change({ [field]: isOn })}>
      <span className="box" aria-hidden="true" />
      {t(`form.${field}`)}
    </Checkbox>
  )
}
