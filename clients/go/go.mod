module fiscal

go 1.19
