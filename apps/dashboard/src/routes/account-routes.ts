import { LogInScreen, RegisterScreen } from '../screens/account/log-in-screen.tsx'
import { ResetScreen } from '../screens/account/reset-screen.tsx'
import { screen } from './root.ts'

export const accountRoutes = [
  screen('/log-in', LogInScreen),
  screen('/register', RegisterScreen),
  screen('/reset', ResetScreen),
  screen(
    '/log-in/answer',
    () => import('../screens/account/oidc-answer-screen.tsx'),
    'OidcAnswerScreen',
  ),
  screen('/forgotten', () => import('../screens/account/mail-screens.tsx'), 'ForgottenScreen'),
  screen(
    '/confirm-email',
    () => import('../screens/account/mail-screens.tsx'),
    'ConfirmEmailScreen',
  ),
  screen('/account', () => import('../screens/account/account-screen.tsx'), 'AccountScreen'),
  screen('/keys', () => import('../screens/account/keys-screen.tsx'), 'KeysScreen'),
  screen('/money', () => import('../screens/account/money-screen.tsx'), 'MoneyScreen'),
] as const
