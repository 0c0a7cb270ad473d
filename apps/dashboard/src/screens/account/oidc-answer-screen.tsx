/** Where the issuer sends the browser back to: what it answered goes to the station, once. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { finishOidc, takeOidcAnswer } from '../../api/oidc.ts'
import { Failure } from '../../components/failure.tsx'

export function OidcAnswerScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [answer] = useState(takeOidcAnswer)
  const finish = useMutation({
    mutationFn: finishOidc,
    onSuccess: async () => {
      await queries.resetQueries()
      await navigate({ to: answer?.purpose === 'link' ? '/account' : '/' })
    },
  })
  const wasSent = useRef(false)
  useEffect(() => {
    if (answer === null || wasSent.current) return
    wasSent.current = true
    finish.mutate(answer)
  })
  const isOver = answer === null || finish.isError
  return (
    <section className="card narrow">
      <h1>{t('people.logIn')}</h1>
      {answer === null ? <p>{t('oidc.noAnswer')}</p> : null}
      <Failure error={finish.error} />
      {isOver ? (
        <Link to="/log-in">{t('people.logIn')}</Link>
      ) : (
        <p role="status">{t('live.waiting')}</p>
      )}
    </section>
  )
}
