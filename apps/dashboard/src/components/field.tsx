import { FieldError, Input, Label, Text, TextArea, TextField } from 'react-aria-components'

interface FieldProps {
  label: string
  value: string
  onChange: (text: string) => void
  help?: string
  /** What is wrong with it; nothing when it is missing. */
  problem?: string | undefined
  type?: 'text' | 'password'
  autoComplete?: string
  /** More than one line of text. */
  rows?: number
  inputMode?: 'decimal' | 'numeric'
  placeholder?: string
  isShort?: boolean
}

export function Field(props: FieldProps) {
  const { label, value, onChange, help, problem, rows, placeholder } = props
  const { type = 'text', autoComplete = 'off', inputMode } = props
  const hint = placeholder === undefined ? {} : { placeholder }
  return (
    <TextField
      className={`react-aria-TextField${props.isShort ? ' short' : ''}`}
      value={value}
      onChange={onChange}
      type={type}
      autoComplete={autoComplete}
      isInvalid={problem !== undefined}
      {...(inputMode === undefined ? {} : { inputMode })}
    >
      <Label>{label}</Label>
      {rows === undefined ? (
        <Input spellCheck={false} {...hint} />
      ) : (
        <TextArea rows={rows} spellCheck={false} {...hint} />
      )}
      {help === undefined ? null : <Text slot="description">{help}</Text>}
      <FieldError>{problem}</FieldError>
    </TextField>
  )
}
